/**
 * Every change to a job, as guarded multi-row statements. Only the engine may import this file.
 * Each statement takes many jobs and moves those whose state is still the one that the caller expects; its result says
 * which. All times are the database's, cut to milliseconds (timestamptz(3) would round). Rows are locked in the order
 * of their keys, so that two statements wait for each other and do not deadlock.
 * Rows that are found by key are checked with `status::text`. The number of jobs in a status changes faster than the
 * planner's statistics: for `status = 'pending'` the planner may assume that the index of pending jobs is nearly empty,
 * and read all of it.
 */

/*
 * The statuses of a job, and the file of packages/engine/src that causes each change:
 *
 *                    ┌──────── retry, release, take-over ─────────┐
 *                    ▼                                            │
 *   submit ──▶   pending   ───────────── claim ─────────────▶ processing
 *                    │                                         │        │
 *                    │ ▲                                       │        │
 *       no handler,  │ │  manual retry                         │        │
 *  cancel, expired   ▼ │                                       ▼        ▼
 *                 failed  ◀──────────── record ─────────────────      done
 *
 * submit: submit.ts. claim: claim.ts. no handler: absent-handler.ts. retry, release, done, failed: record.ts.
 * release also: refuse.ts of db, when its payload is for another worker. take-over: reconcile.ts. manual retry: retry.ts. expired: expire.ts. cancel: cancel.ts, which only marks a processing
 * job: none of the changes back to pending applies to a marked job. A pending job stays pending when its caller changes
 * it: change.ts. Each statement changes a row only if it still has the status at the start of the arrow.
 *
 * Triggers write more in the same transaction. The comment of each transition says which of these apply:
 *
 *   when                                           a trigger writes                 prisma/functions
 *   a job with tags is submitted, or deleted       a row for each tag, or deletes   write_job_tags.sql
 *   a job that is about something is changed,      its rows of job_abouts           write_job_abouts.sql
 *     redacted or deleted
 *   a job finishes                                 its event for webhooks           write_job_events.sql
 *   a job with sources is live, or finishes        its rows of job_sources         write_job_sources.sql
 *   a finished job is deleted, or is live again    a correction of the statistics   correct_job_counts.sql
 *   a job becomes held, changes or ends while held its lane                         wake_limit_lanes.sql
 *   a job finishes, is retried or deleted          the conditions that name it      settle_after.sql
 */
export type { Condition, NewJob, SourceRef } from '../columns.js';
export { type ReportedProgress, storeProgress } from '../progress.js';
export * from './artifact.js';
export * from './cancel.js';
export * from './change.js';
export type { AllowedStarts, Claim, ClaimAnswer, Claimer, CrashCapacity, Delivery, Unhandled } from './claim.js';
export { CLAIM_LOCK_MS, claimJobs, ISOLATE_AFTER_CRASHES, readPayload } from './claim.js';
export * from './claim-waiting.js';
export {
  ConditionRefused,
  hasUnsettled,
  listNamedJobs,
  MAX_WAITING_FOR_ONE,
  type NamedJob,
  settleNext,
} from './conditions.js';
export * from './delete.js';
export * from './dispatch.js';
export {
  type EndedJob,
  type EndedPage,
  failExpired,
  failNeeding,
  failUnhandled,
  failWaiting,
  hasExpired,
  hasFailing,
} from './fail.js';
export * from './held.js';
export * from './insert.js';
export * from './record.js';
export * from './redact.js';
export * from './refuse.js';
export * from './repair.js';
export * from './retry.js';
export { parkUnknown, unparkKnown } from './unknown-type.js';
