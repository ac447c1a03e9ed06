/**
 * Where a job can go, and which file takes it there.
 *
 *                    ┌──────── retry, release, take-over ─────────┐
 *                    ▼                                            │
 *   submit ──▶   pending   ───────────── claim ─────────────▶ processing
 *                    │                                         │        │
 *                    │ ▲                                       │        │
 *       no handler   │ │  retry by hand                          │        │
 *  anywhere, cancel  ▼ │                                       ▼        ▼
 *                 failed  ◀──────────── record ─────────────────      done
 *
 * submit: submit.ts. claim, no handler: claim.ts. retry, release, done, failed: record.ts. take-over: reconcile.ts.
 * retry by hand: retry.ts. cancel: cancel.ts. It only marks a job that is processing: no arrow from there back to pending
 * takes that one.
 * Every arrow is a guarded UPDATE in packages/db/src/jobs/transitions: it moves the row only from where the arrow begins.
 */
export { JOB_STATUSES, type JobStatus } from '@jobline/contracts';
