/** What every process needs to live. */
export * from './batch.js';
export * from './clock.js';
export * from './config.js';
export * from './create-tracing.js';
export * from './fair-queue.js';
export * from './ids.js';
export * from './lax-rules.js';
export * from './listen.js';
export * from './logger.js';
export * from './metrics.js';
export * from './operator.js';
export * from './recent.js';
export * from './secret-cipher.js';
export * from './shutdown.js';
export * from './strong-secret.js';
export * from './tracing.js';
export * from './weight-limiter.js';
