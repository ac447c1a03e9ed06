# In the root of the clone: docker build -f docker/worker.Dockerfile --target worker -t jobline-worker .
# For the queue of PDFs:    docker build -f docker/worker.Dockerfile --target worker-browser -t jobline-worker-browser .
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
ENV PUPPETEER_SKIP_DOWNLOAD=1 SCARF_ANALYTICS=false
COPY . .
RUN npm run build
# Only what the app needs to run. npm keeps optional peers of its packages, such as a compiler, if the development
# packages of the root name them. Chromium is Debian's, or there is none.
RUN rm -rf node_modules apps/*/node_modules \
  && npm pkg delete devDependencies \
  && npm install --omit=dev --workspace @jobline/worker --no-audit --no-fund \
  && rm -r node_modules/@sparticuz packages/client

FROM node:24.21.0-bookworm-slim AS worker
ENV NODE_ENV=production WORKER_PORT=3001 WORKER_QUEUES=io:200,cpu:2,events:200
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules/
COPY --from=build /app/packages packages/
COPY --from=build /app/prisma/migrations prisma/migrations/
COPY --from=build /app/apps/worker apps/worker/
USER node
EXPOSE 3001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WORKER_PORT}/healthz`).then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# By default Node reserves 128 MiB for young objects, which is as much as the rest of the process.
CMD ["node", "--max-semi-space-size=32", "apps/worker/dist/main.js"]

# A separate image, because a browser adds 400 MB and needs a kernel feature, and the other jobs need neither.
FROM worker AS worker-browser
USER root
# No versions: Debian keeps only the latest of each, and a browser must be the latest. tini reaps orphaned processes of
# the browser.
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium fonts-dejavu-core fonts-liberation fonts-noto-core tini \
  && rm -rf /var/lib/apt/lists/*
ENV PUPPETEER_EXECUTABLE_PATH=/usr/bin/chromium WORKER_QUEUES=browser:2
USER node
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=32", "apps/worker/dist/main.js"]
