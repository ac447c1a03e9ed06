/**
 * Where a job can go, and which file takes it there.
 *
 *                    ┌──────── retry, release, take-over ─────────┐
 *                    ▼                                            │
 *   submit ──▶   pending   ───────────── claim ─────────────▶ processing
 *                    │                                         │        │
 *                    │ no handler anywhere, cancel             │        │
 *                    ▼                                         ▼        ▼
 *                 failed  ◀──────────── record ─────────────────      done
 *
 * submit: submit.ts. claim, no handler: claim.ts. retry, release, done, failed: record.ts. take-over: reconcile.ts.
 * cancel: cancel.ts. It only marks a job that is processing: none of the arrows back to pending takes that one.
 * Every arrow is a guarded UPDATE in packages/db/src/transitions: it moves the row only from where the arrow begins.
 */
export { JOB_STATUSES, type JobStatus } from '@jobline/contracts';
