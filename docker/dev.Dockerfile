# Everything in one container, for development and CI: `npm start` with a Postgres, a Redis and a Chromium. Not for production.
# In the root of the clone: docker build -f docker/dev.Dockerfile -t jobline-dev .
# Its data is in the volume: docker run --rm -p 127.0.0.1:3000:3000 -v jobline-dev:/data jobline-dev
FROM node:24.21.0-bookworm-slim AS manifests
# No versions: Debian keeps only the latest of each. redis-tools contains the server. tini reaps orphaned processes.
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    chromium-headless-shell fonts-dejavu-core fonts-liberation fonts-noto-cjk fonts-noto-color-emoji fonts-noto-core \
    redis-tools tini \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /app /data \
  && chown node:node /app /data
WORKDIR /app
# Postgres refuses to run as root, and `npm start` writes to its folder.
USER node
ENV PUPPETEER_SKIP_DOWNLOAD=1 SCARF_ANALYTICS=false
# Only these files decide which packages are installed, so another change installs nothing again.
COPY --chown=node:node package.json package-lock.json ./
COPY --chown=node:node apps/api/package.json apps/api/
COPY --chown=node:node apps/dashboard/package.json apps/dashboard/
COPY --chown=node:node apps/help/package.json apps/help/
COPY --chown=node:node apps/worker/package.json apps/worker/
COPY --chown=node:node packages/client/package.json packages/client/
COPY --chown=node:node packages/contracts/package.json packages/contracts/
COPY --chown=node:node packages/db/package.json packages/db/
COPY --chown=node:node packages/devstack/package.json packages/devstack/
COPY --chown=node:node packages/engine/package.json packages/engine/
COPY --chown=node:node packages/handlers/package.json packages/handlers/
COPY --chown=node:node packages/messaging/package.json packages/messaging/
COPY --chown=node:node packages/providers/package.json packages/providers/
COPY --chown=node:node packages/runtime/package.json packages/runtime/

FROM manifests
RUN --mount=type=cache,target=/home/node/.npm,uid=1000,gid=1000 npm ci --no-audit --no-fund
COPY --chown=node:node tsconfig.base.json prisma.config.ts ./
COPY --chown=node:node prisma prisma/
COPY --chown=node:node test/harness/stack test/harness/stack/
COPY --chown=node:node packages packages/
COPY --chown=node:node apps apps/
COPY --chown=node:node *.md ./
COPY --chown=node:node docs docs/
COPY --chown=node:node test/browser/screenshots test/browser/screenshots/
RUN npm run build
# The container separates Chromium from the machine: its own sandbox needs user namespaces, which Docker forbids.
ENV NODE_ENV=development HOST=0.0.0.0 PORT=3000 DATA_DIR=/data JOBLINE_NO_INSTALL=1 CHROMIUM_SANDBOX=off
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "require('http').get({port: process.env.PORT, path: '/readyz'}, ({statusCode}) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "packages/devstack/bin/start.mjs"]
