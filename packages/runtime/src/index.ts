/** What every process needs to run. */
export * from './batch.js';
export * from './config.js';
export * from './fair-limiter.js';
export * from './fair-queue.js';
export * from './ids.js';
export * from './logger.js';
export * from './metrics.js';
export * from './operator.js';
export * from './process.js';
export * from './recent.js';
export * from './secret-cipher.js';
export * from './start-tracing.js';
export * from './strong-secret.js';
export * from './timers.js';
export * from './tracing.js';
export * from './watchdog.js';
