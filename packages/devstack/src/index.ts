/**
 * Postgres and Redis for development and tests. `npm start` and `npm test` are built on it. Never used in production.
 */
export { type Child, endChild, spawnChild } from './processes/child.js';
export { ask, canConnect, findFreePort } from './processes/ports.js';
export { childrenOf } from './processes/process-id.js';
export { listenForStop, PlainError, reasonOf, type StopRequests } from './processes/terminal.js';
export { ensureChromium } from './servers/chromium.js';
export { ensureInstalled, type InstallOptions } from './servers/install.js';
export { type PostgresOptions, startPostgres } from './servers/postgres.js';
export { ensureRedis, type RedisOptions, startRedis } from './servers/redis.js';
export { createServer, type Server, serverEnv } from './servers/server.js';
