/**
 * A job's life. Read the files in this order:
 *
 *   submit ──▶ enqueue ──▶ claim ──▶ run ──▶ outcome ──▶ record          reconcile
 *   row first  its key     guarded   the     pure:       guarded,        finds what a crash or
 *   pending    to Redis    update:   handler done, retry with the        an outage left behind
 *      │          ▲        attempt n         or failed   log lines
 *      └─▶ feed ──┘
 *          what has no room in the window waits in Postgres and is taken in turns
 *
 *   cancel    at any point: a pending job has failed at once; of a running one the signal fires, and no re-run follows
 *
 *  caller           api                       engine                        redis           worker
 *    │ POST /jobs    │ authenticate, validate   │                             │                │
 *    ├──────────────▶├── submit ───────────────▶│ insert row: pending         │                │
 *    │               │                          ├── enqueue: the key alone ──▶│                │
 *    │◀── 202 ───────┤                          │                             ├── key ────────▶│
 *    │               │                          │◀────────── runJob(key) ─────────────────────┤
 *    │               │                          │ claim   pending → processing, attempt n      │
 *    │               │                          │ run     handler(payload, ctx) under a signal │
 *    │               │                          │ outcome pure: done | retry(delay) | failed   │
 *    │               │                          │ record  status + log lines, guarded          │
 *    │               │                          ├── verdict ───────────────────────────────────▶ BullMQ delays, or drops it
 *
 * The API uses the first two and cancel, the worker (work.ts puts them together) the rest.
 */

export { type Amend, createAmend } from './amend.js';
export * from './backoff.js';
export { type Cancel, createCancel } from './cancel.js';
export { createWindow, type Window } from './dispatch/window.js';
export { createDispatcher, type Dispatcher } from './dispatch.js';
export * from './enqueue.js';
export { publishJobEvents, subscribeJobEvents } from './event-streams.js';
export * from './events.js';
export { type JobLogEntry, jobLogMessage } from './job-log.js';
export { createFindOwnerFault, type FindOwnerFault } from './maintenance/prefix-owner.js';
export { checkStart, type StartChecks } from './maintenance/start-checks.js';
export { watchBacklog } from './metrics/backlog-metrics.js';
export { watchPools, watchRedis } from './metrics/connection-metrics.js';
export { recordMetrics } from './metrics/job-metrics.js';
export * from './outcome.js';
export { type ShownQueues, showQueues } from './queue/board.js';
export type { Consume, QueueAction } from './queue/consumer.js';
export { createLimitStore, type LimitStore } from './queue/limit-store.js';
export { DEFAULT_PREFIX, PREFIX_PATTERN } from './queue/names.js';
export { createProducer, type Entry, type Producer } from './queue/producer.js';
export { redisNodes, redisUrlFault } from './queue/redis-address.js';
export type { Subscription } from './queue/subscribe.js';
export { createRetry, type Retry } from './retry.js';
export { createRoutes, type Routes } from './routes.js';
export type { Submission, Submitted } from './submission.js';
export { createSubmit, SUBMIT_CONNECTIONS, type Submit, type SubmitDeps } from './submit.js';
export * from './submit-batch.js';
export * from './work.js';
export type { RunIsolated } from './worker/crash-isolation.js';
