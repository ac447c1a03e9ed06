/**
 * Every change to a message, as guarded statements. Only `packages/messaging` may import this file. Times are the
 * database's, as with jobs.
 */

export * from './feedback.js';
export * from './send.js';
