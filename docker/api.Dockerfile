# In the root of the clone: docker build -f docker/api.Dockerfile -t jobline-api .
# The first stage equals that of worker.Dockerfile except for its last step, so a builder runs it once for both.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
ENV PUPPETEER_SKIP_DOWNLOAD=1 SCARF_ANALYTICS=false
COPY . .
RUN npm run build
# Only what the app needs to run. npm keeps optional peers of its packages, such as a compiler, if the development
# packages of the root name them. Chromium is Debian's, or there is none.
RUN rm -rf node_modules apps/*/node_modules \
  && npm pkg delete devDependencies \
  && npm install --omit=dev --workspace @jobline/api --no-audit --no-fund \
  && rm -r node_modules/@sparticuz packages/client

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules/
COPY --from=build /app/packages packages/
COPY --from=build /app/prisma/migrations prisma/migrations/
COPY --from=build /app/apps/dashboard/dist apps/dashboard/dist/
COPY --from=build /app/apps/api apps/api/
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# By default Node reserves 128 MiB for young objects, which is as much as the rest of the process.
CMD ["node", "--max-semi-space-size=32", "apps/api/dist/main.js"]
