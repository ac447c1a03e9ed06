# In the root of the clone: docker build -f docker/api.Dockerfile -t jobline-api .
# The first two stages equal those of worker.Dockerfile, so a builder runs them once for both.
FROM node:24.21.0-bookworm-slim AS manifests
WORKDIR /app
ENV PUPPETEER_SKIP_DOWNLOAD=1 SCARF_ANALYTICS=false
# Only these files decide which packages are installed, so another change installs nothing again.
COPY package.json package-lock.json ./
COPY apps/api/package.json apps/api/
COPY apps/dashboard/package.json apps/dashboard/
COPY apps/help/package.json apps/help/
COPY apps/worker/package.json apps/worker/
COPY packages/client/package.json packages/client/
COPY packages/contracts/package.json packages/contracts/
COPY packages/db/package.json packages/db/
COPY packages/devstack/package.json packages/devstack/
COPY packages/engine/package.json packages/engine/
COPY packages/handlers/package.json packages/handlers/
COPY packages/messaging/package.json packages/messaging/
COPY packages/providers/package.json packages/providers/
COPY packages/runtime/package.json packages/runtime/

FROM manifests AS build
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY tsconfig.base.json prisma.config.ts ./
COPY prisma prisma/
COPY test/harness/stack test/harness/stack/
COPY packages packages/
COPY apps apps/
COPY *.md ./
COPY docs docs/
COPY test/browser/screenshots test/browser/screenshots/
RUN npm run build
RUN mkdir out \
  && cp -r --parents packages/*/dist apps/api/dist apps/api/assets apps/dashboard/dist apps/help/dist prisma/migrations out \
  && find out -type f \( -name '*.map' -o -name '*.d.ts' \) -delete

# Only what the app needs to run. npm keeps optional peers of its packages, such as a compiler, if the development
# packages of the root name them. Chromium is Debian's, or there is none. Prisma uses one of its ten query compilers,
# and Node reads neither types nor source maps. Only workers need sharp and puppeteer.
FROM manifests AS packages
RUN --mount=type=cache,target=/root/.npm npm pkg delete devDependencies \
  && npm install --omit=dev --workspace @jobline/api --no-audit --no-fund \
  && cd node_modules \
  && rm -r @sparticuz sharp @img puppeteer puppeteer-core chromium-bidi \
  && find @prisma/client/runtime -name 'query_compiler_*' ! -name '*_small_bg.postgresql.*' -delete \
  && find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24.21.0-bookworm-slim
# Without the limit, each thread of Node keeps memory of its own that it has freed.
ENV NODE_ENV=production PORT=3000 MALLOC_ARENA_MAX=2
WORKDIR /app
# The app needs no package manager.
RUN cd /usr/local/bin && rm -rf npm npx corepack yarn yarnpkg /usr/local/lib/node_modules /opt/yarn-*
COPY --from=packages /app ./
COPY --from=build /app/out ./
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "require('http').get({host: process.env.HOST || '127.0.0.1', port: process.env.PORT, path: '/healthz'}, ({statusCode}) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# By default Node reserves 128 MiB for young objects, which is as much as the rest of the process.
CMD ["node", "--max-semi-space-size=16", "apps/api/dist/main.js"]
