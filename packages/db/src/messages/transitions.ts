/**
 * Every change to a message, as guarded statements. Only `packages/messaging` may import this file. Times are the
 * database's, as with jobs.
 */

export { findSuppressed } from './copies.js';
export * from './feedback.js';
export type * from './new-message.js';
export * from './send.js';
