/** What tests stand on: real services, the real apps in this process, and local servers for the world outside. */
export * from './answer-check.js';
export * from './api.js';
export * from './app-process.js';
export * from './browser-traces.js';
export * from './caller.js';
export * from './database.js';
export * from './event-reader.js';
export * from './jobs.js';
export * from './name-server.js';
export * from './own-redis.js';
export * from './proxy.js';
export * from './receiver.js';
export * from './services.js';
export * from './supervised-worker.js';
export * from './until.js';
export * from './worker.js';
export * from './world.js';
