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
 * `changes` has what people and time do to a job: cancel, change, retry, delete, amend, expire and bulk actions. Schedules and
 * deliveries submit jobs too (schedules/plan.ts, tasks/deliver.ts).
 *
 * docs/architecture/overview.md shows the same journey across the processes. work.ts puts together what a worker does.
 */

export * from './attempt/backoff.js';
export type { RunIsolated } from './attempt/crash-isolation.js';
export { stackOf } from './attempt/handler-stack.js';
export * from './attempt/outcome.js';
export { createSourceReads, type StartSourceReads } from './attempt/read-source.js';
export { type Cancel, createCancel } from './changes/cancel.js';
export { type Amend, type Change, type Changes, createAmend, createChange } from './changes/change.js';
export { createDelete, type Delete } from './changes/delete.js';
export { createExpire } from './changes/expire.js';
export { createRetry, type Retry } from './changes/retry.js';
export { createDispatcher } from './fairness/dispatch.js';
export { createWindow, type Window } from './fairness/window.js';
export { createFiles, type Files, type FileView, toFileView, type Upload } from './files/files.js';
export { createReadStored, type ReadStored } from './files/read-stored.js';
export { createBacklogLimit } from './limits/backlog-limit.js';
export { createFindWaitingFor, type FindWaitingFor } from './limits/check-limits.js';
export { createLimitChanges } from './limits/limit-changes.js';
export { createSetLimits, type SetLimits } from './limits/set-limit.js';
export { type ShownQueues, showQueues } from './queue/board.js';
export { redisNodes, redisUrlProblem } from './queue/connection.js';
export type { Consume, ConsumerOptions, Delivered } from './queue/consumer.js';
export { deleteQueues } from './queue/delete-queues.js';
export type { DeliveredEntry, Entry, EntryRef } from './queue/entry.js';
export { createLimitStore, type LimitStore } from './queue/limit-store.js';
export { DEFAULT_PREFIX, PREFIX_PATTERN } from './queue/names.js';
export { createProducer, type Producer } from './queue/producer.js';
export type { Subscription } from './queue/pubsub.js';
export { watchBacklog } from './reporting/backlog-metrics.js';
export { watchPools, watchRedis } from './reporting/connection-metrics.js';
export { publishJobEvents, subscribeJobEvents } from './reporting/event-streams.js';
export * from './reporting/events.js';
export { type JobLogEntry, jobLogMessage } from './reporting/job-log.js';
export { recordMetrics } from './reporting/job-metrics.js';
export { findCronIssue } from './schedules/cron.js';
export { describeTiming, type Preview, previewTiming } from './schedules/describe.js';
export { createPlan, type Plan } from './schedules/plan.js';
export { plannedTimes, type Timing } from './schedules/timing.js';
export { findWallClock } from './schedules/wall-clock.js';
export { type Found, type SearchRights, search } from './search/search.js';
export { matcherOf } from './search/words.js';
export { checkStart, createFindOwnerProblem, type FindOwnerProblem, type StartChecks } from './start/start-checks.js';
export { aboutTexts } from './submit/abouts.js';
export * from './submit/check-payload.js';
export * from './submit/custom-types.js';
export { createEnqueue, type Enqueue } from './submit/enqueue.js';
export * from './submit/fields.js';
export { SUBMIT_CONNECTIONS } from './submit/inserts.js';
export * from './submit/parse-submission.js';
export {
  createPublishedTypes,
  createRoutes,
  type PublishedSchema,
  type PublishedTypes,
  type Routes,
} from './submit/routes.js';
export { issuesOfSources, requireSources, sourcesOf } from './submit/sources.js';
export { requestKey, type Submission, submissionsKey, unknownType } from './submit/submission.js';
export {
  type Answers,
  createSubmissions,
  keyReused,
  type Rejected,
  rejectedBy,
  type Submissions,
  type SubmitDeps,
  type SubmitRequest,
  type Submitted,
} from './submit/submit.js';
export * from './submit/validate.js';
export { checkAlerts, createCheckAlerts, describeAlert, sendTestAlert } from './tasks/alerts.js';
export { createDeliver } from './tasks/deliver.js';
export { indexNewEntries } from './tasks/index-search.js';
export { createMaintenance } from './tasks/maintenance.js';
export { createRollUp, type RollUpDeps } from './tasks/roll-up.js';
export { DEFAULT_STORED_BYTES } from './tasks/stored-bytes.js';
export type { LeasedTask, Task } from './tasks/task.js';
export { createApiTasks, repeatTasks } from './tasks/tasks.js';
export * from './work.js';
