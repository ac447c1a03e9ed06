/**
 * What all tests use: real services, the real apps in this process, and local servers in place of external services.
 */
export * from './answer-check.js';
export * from './api.js';
export * from './app-process.js';
export * from './blocked-loop.js';
export * from './browser.js';
export * from './browser-traces.js';
export * from './caller.js';
export * from './clock.js';
export * from './cpu-time.js';
export * from './database.js';
export * from './event-reader.js';
export * from './exposition.js';
export * from './hang.js';
export * from './held-lock.js';
export * from './jobs.js';
export * from './name-server.js';
export * from './own-cluster.js';
export * from './own-redis.js';
export * from './process-table.js';
export * from './proxy.js';
export * from './receiver.js';
export * from './redis-client.js';
export * from './services.js';
export * from './supervised-worker.js';
export * from './until.js';
export * from './watched-apps.js';
export * from './worker.js';
export * from './world.js';
