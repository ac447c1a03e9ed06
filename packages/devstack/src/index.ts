/** Postgres and Redis for development and tests; `npm start` and `npm test` are built on them. Never used in production. */
export { findFreePort } from './ports.js';
export { type PostgresOptions, startPostgres } from './postgres.js';
export { type RedisOptions, startRedis } from './redis.js';
export type { Server } from './server.js';
