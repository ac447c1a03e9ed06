/**
 * The life of a job. Read the files in this order:
 *
 *   submit ──▶ enqueue ──▶ claim ──▶ run ──▶ outcome ──▶ record          reconcile
 *   row first  its key     guarded   the     pure:       guarded,        repairs what a
 *   pending    to Redis    update:   handler done, retry with the        crash or an outage
 *      │          ▲        attempt n         or failed   log lines       left behind
 *      └▶ dispatch┘
 *         jobs that exceed the window wait in Postgres; organizations get equal shares
 *
 *   cancel    at any point: a pending job fails at once; a running job's signal fires, and no other attempt follows
 *
 *   change    a pending job gets another payload, time or priority, and waits for another entry if needed
 *
 *   retry     a failed job is pending again, with all of its retries
 *
 *   delete    a finished job is removed with its log, result and artifacts
 *
 *   amend     a finished job gets another result, because a report about its effect came later
 *
 *   expire    a pending job whose time has passed fails, with or without a worker
 *
 *   bulk      one of these changes for all jobs that match a filter, step by step
 *
 *   deliver   events become deliveries, which are jobs too
 *
 *   plan      the planned times of schedules become jobs, with or without a worker
 *
 * docs/architecture/overview.md shows the same journey across the processes. The API uses submit, enqueue, cancel, change,
 * bulk, deliver, expire, plan and retry; the worker uses deliver, expire, plan and the rest, which work.ts puts together.
 */

export { type Amend, createAmend } from './amend.js';
export * from './backoff.js';
export { type Bulk, createBulk } from './bulk.js';
export { type Cancel, createCancel } from './cancel.js';
export { type Change, type Changes, createChange } from './change.js';
export { createDelete, type Delete } from './delete.js';
export { createDeliver, type Deliver } from './deliver.js';
export { createWindow, type Window } from './dispatch/window.js';
export { createDispatcher } from './dispatch.js';
export { createEnqueue, type Enqueue } from './enqueue.js';
export { publishJobEvents, subscribeJobEvents } from './event-streams.js';
export * from './events.js';
export { createExpire, type Expire } from './expire.js';
export { type JobLogEntry, jobLogMessage } from './job-log.js';
export { createBacklogLimit } from './limits/backlog-limit.js';
export { createSetLimits, type SetLimits } from './limits/set-limit.js';
export { createFindWaitingFor, type FindWaitingFor } from './limits/waiting-for.js';
export { type CheckAlerts, checkAlerts, createCheckAlerts } from './maintenance/alerts.js';
export { createFindOwnerProblem, type FindOwnerProblem } from './maintenance/prefix-owner.js';
export { createRollUp, type RollUpDeps } from './maintenance/roll-up.js';
export { checkStart, type StartChecks } from './maintenance/start-checks.js';
export { DEFAULT_STORED_BYTES } from './maintenance/stored-bytes.js';
export type { Task } from './maintenance/task.js';
export { watchBacklog } from './metrics/backlog-metrics.js';
export { watchPools, watchRedis } from './metrics/connection-metrics.js';
export { recordMetrics } from './metrics/job-metrics.js';
export * from './outcome.js';
export { createPlan, type Plan } from './plan.js';
export { createPublishedTypes, type PublishedSchema, type PublishedTypes } from './published-types.js';
export { type ShownQueues, showQueues } from './queue/board.js';
export type { Consume, Delivered } from './queue/consumer.js';
export type { Entry, EntryRef } from './queue/entry.js';
export { createLimitStore, type LimitStore } from './queue/limit-store.js';
export { DEFAULT_PREFIX, PREFIX_PATTERN } from './queue/names.js';
export { createProducer, type Producer } from './queue/producer.js';
export { redisNodes, redisUrlProblem } from './queue/redis-address.js';
export { MAX_SHARDS } from './queue/shards.js';
export type { Subscription } from './queue/subscribe.js';
export { createRetry, type Retry } from './retry.js';
export { createRoutes, type Routes } from './routes.js';
export { findCronIssue } from './schedules/cron.js';
export { type Preview, previewTiming } from './schedules/preview.js';
export { plannedTimes, type Timing } from './schedules/timing.js';
export { findWallClock } from './schedules/wall-clock.js';
export {
  createSubmit,
  requestHash,
  SUBMIT_CONNECTIONS,
  type Submission,
  type Submit,
  type SubmitDeps,
  type Submitted,
  sortKeys,
} from './submit.js';
export {
  type BatchRequest,
  createFindReplay,
  createSubmitBatch,
  type FindReplay,
  keyReused,
  type SubmitBatch,
  type SubmitBatchDeps,
} from './submit-batch.js';
export {
  createSubmitEach,
  type EachAnswer,
  type EachRequest,
  type Rejected,
  rejectedBy,
  type SubmitEach,
} from './submit-each.js';
export * from './work.js';
export type { RunIsolated } from './worker/crash-isolation.js';
