/**
 * The only package that accesses Postgres. Changes to jobs are in ./job-transitions, which only the engine may import.
 */
export * from './accounts/api-keys.js';
export * from './accounts/audit.js';
export * from './accounts/audit-guard.js';
export * from './accounts/expired.js';
export * from './accounts/invites.js';
export * from './accounts/mailed-invites.js';
export * from './accounts/members.js';
export * from './accounts/memberships.js';
export * from './accounts/orgs.js';
export * from './accounts/password-resets.js';
export * from './accounts/quotas.js';
export * from './accounts/sessions.js';
export * from './accounts/settings.js';
export { changeTeam } from './accounts/team.js';
export * from './accounts/users.js';
export * from './accounts/webhook-secrets.js';
export * from './alerts/alerts.js';
export * from './alerts/measures.js';
export * from './bulk/bulk-actions.js';
export { type BulkFilter, countMatching } from './bulk/matching-jobs.js';
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
export * from './jobs/attempts.js';
export * from './jobs/backlog.js';
export { type JobSpec, specOf } from './jobs/columns.js';
export * from './jobs/events.js';
export * from './jobs/failures.js';
export * from './jobs/job-rows.js';
export * from './jobs/job-types.js';
export * from './jobs/jobs.js';
export * from './jobs/logs.js';
export * from './jobs/pending.js';
export { type Reserve, redactPayload } from './jobs/redact-payload.js';
export * from './jobs/rerun-sources.js';
export * from './jobs/roll-up.js';
export * from './jobs/stats.js';
export * from './jobs/stored-bytes.js';
export * from './jobs/workers.js';
export * from './limits/lanes.js';
export * from './limits/limit-rules.js';
export * from './limits/limits.js';
export * from './limits/operator-limit.js';
export * from './messages/domains.js';
export * from './messages/expired-messages.js';
export * from './messages/messages.js';
export * from './messages/operator-sender-ids.js';
export * from './messages/payments.js';
export * from './messages/sender-ids.js';
export * from './messages/suppressions.js';
export * from './messages/templates.js';
export * from './postgres/client.js';
export * from './postgres/errors.js';
export * from './postgres/hot.js';
export { FIRST_ID, type Page, type PageRequest, type TimeCursor } from './postgres/page.js';
export * from './postgres/ping.js';
export * from './postgres/retry.js';
export * from './postgres/time-limit.js';
export * from './schedules/due-schedules.js';
export * from './schedules/schedules.js';
export * from './schema/installation.js';
export * from './schema/restored.js';
export * from './schema/schema-problem.js';
export * from './webhooks/deliveries.js';
export * from './webhooks/delivery-stats.js';
export * from './webhooks/plan-deliveries.js';
export * from './webhooks/webhooks.js';
