/**
 * The only package that accesses Postgres. Changes to jobs are in ./job-transitions, which only the engine may import.
 */
export * from './accounts/api-keys.js';
export * from './accounts/audit.js';
export { findFirstSteps } from './accounts/first-steps.js';
export * from './accounts/invites.js';
export * from './accounts/mailed-invites.js';
export * from './accounts/members.js';
export * from './accounts/notices.js';
export * from './accounts/orgs.js';
export * from './accounts/secrets.js';
export * from './accounts/sessions.js';
export * from './accounts/team.js';
export * from './accounts/users.js';
export * from './accounts/webhook-secrets.js';
export * from './alerts/alerts.js';
export * from './alerts/measure.js';
export * from './alerts/problems.js';
export * from './alerts/test-alert.js';
export * from './bulk/bulk-actions.js';
export * from './erasures/erasures.js';
export * from './files/files.js';
export { areReadable, findGoneSources } from './files/sources.js';
export type { StoredBytes } from './files/stored.js';
// Inferred types of other packages name these.
export type { JobStatus, MessageStatus, SenderIdStatus, SuppressionReason, TemplateKind } from './generated/enums.js';
export {
  findCreationKey,
  findUsedKey,
  type IdempotencyKey,
  isSameContent,
  type JobAnswer,
  type UsedCreationKey,
  type UsedKey,
  useCreationKey,
} from './idempotency.js';
export * from './jobs/artifacts.js';
export * from './jobs/backlog.js';
export { type JobSpec, specOf } from './jobs/columns.js';
export { listAfterIds, listReferred, type ReferredJob, readResult, setAbouts } from './jobs/conditions.js';
export * from './jobs/contents.js';
export * from './jobs/events.js';
export { mergeFailedAttempts } from './jobs/failed-attempts.js';
export * from './jobs/failures.js';
export * from './jobs/job-types.js';
export * from './jobs/jobs.js';
export { type JobFilter, type JobRow, type ListedJob, listJobs } from './jobs/list-jobs.js';
export * from './jobs/logs.js';
export type { Progress } from './jobs/progress.js';
export { type ReserveMemory, redactPayload } from './jobs/redaction.js';
export * from './jobs/roll-up.js';
export * from './jobs/stats.js';
export * from './jobs/stats-times.js';
export * from './jobs/stored-bytes.js';
export { findWaitingQueues } from './jobs/waiting-queues.js';
export * from './jobs/workers.js';
export type { HoldSign } from './limits/holds.js';
export * from './limits/lanes.js';
export * from './limits/limit-changes.js';
export * from './limits/limit-rules.js';
export * from './limits/limits.js';
export * from './messages/messages.js';
export * from './messages/payments.js';
export * from './messages/senders.js';
export * from './messages/templates.js';
export * from './postgres/client.js';
export * from './postgres/errors.js';
export * from './postgres/hot.js';
export { FIRST_ID, type Page, type PageRequest, type TimeCursor } from './postgres/page.js';
export { OUTSIDE_TRANSACTION, runAs } from './postgres/shares.js';
export { limitStatements, withTimeLimit } from './postgres/transactions.js';
export * from './retention.js';
export * from './schedules/due-schedules.js';
export * from './schedules/schedules.js';
export * from './schema/installation.js';
export { type Candidate, findEntries, findExactly } from './search/find-entries.js';
export { dropDeadBatches, forgetEntries, listIndexedOrgs } from './search/forget-entries.js';
export * from './search/index-entries.js';
export * from './search/named-rows.js';
export * from './search/searched-rows.js';
export * from './webhooks/deliveries.js';
export * from './webhooks/delivery-stats.js';
export * from './webhooks/event-listeners.js';
export * from './webhooks/plan-deliveries.js';
export * from './webhooks/receivers.js';
export * from './webhooks/webhooks.js';
