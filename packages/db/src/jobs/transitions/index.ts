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

/*
 * The statuses of a job, and the file of packages/engine/src that causes each change:
 *
 *                    ┌──────── retry, release, take-over ─────────┐
 *                    ▼                                            │
 *   submit ──▶   pending   ───────────── claim ─────────────▶ processing
 *                    │                                         │        │
 *                    │ ▲                                       │        │
 *       no handler   │ │  manual retry                         │        │
 *  anywhere, cancel  ▼ │                                       ▼        ▼
 *                 failed  ◀──────────── record ─────────────────      done
 *
 * submit: submit.ts. claim: claim.ts. no handler: run.ts. retry, release, done, failed: record.ts. take-over: reconcile.ts.
 * manual retry: retry.ts. cancel: cancel.ts, which only marks a processing job: none of the changes back to pending
 * applies to a marked job. Each statement changes a row only if it still has the status at the start of the arrow.
 */
export * from './amend.js';
export * from './artifact.js';
export * from './cancel.js';
export * from './claim.js';
export * from './dispatch.js';
export * from './expire.js';
export * from './insert.js';
export * from './insert-batch.js';
export * from './record.js';
export * from './repair.js';
export * from './retry.js';
