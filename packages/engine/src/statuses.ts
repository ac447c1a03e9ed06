/**
 * Where a job can go, and which file takes it there.
 *
 *                    ┌──────── retry, release, take-over ─────────┐
 *                    ▼                                            │
 *   submit ──▶   pending   ───────────── claim ─────────────▶ processing
 *                    │                                         │        │
 *                    │ no handler anywhere                     │        │
 *                    ▼                                         ▼        ▼
 *                 failed  ◀──────────── record ─────────────────      done
 *
 * submit: submit.ts. claim, no handler: claim.ts. retry, release, done, failed: record.ts. take-over: reconcile.ts.
 * Every arrow is a guarded UPDATE in packages/db/src/transitions: it moves the row only from where the arrow begins.
 */
export { JOB_STATUSES, type JobStatus } from '@jobline/contracts';
