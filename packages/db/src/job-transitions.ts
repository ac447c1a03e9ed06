/**
 * Every change to a job, as guarded multi-row statements. Only the engine may import this file.
 *
 * Each takes many jobs and moves those that are still as the caller believes; what it returns says which. All times
 * are the database's, cut to milliseconds (timestamptz(3) would round). Rows are touched in the order of their keys,
 * so that two statements wait for each other rather than deadlock.
 *
 * Rows that are found by key are checked with `status::text`. Counts of a status change faster than the planner's
 * statistics do: seeing `status = 'pending'` it takes the index of pending jobs for nearly empty and reads all of it.
 */
export * from './transitions/amend.js';
export * from './transitions/artifact.js';
export * from './transitions/cancel.js';
export * from './transitions/claim.js';
export * from './transitions/expire.js';
export * from './transitions/feed.js';
export * from './transitions/insert.js';
export * from './transitions/insert-together.js';
export * from './transitions/record.js';
export * from './transitions/repair.js';
export * from './transitions/retry.js';
