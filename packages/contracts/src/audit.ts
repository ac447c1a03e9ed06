/**
 * Actions that the audit log records: every change of who may do what in an organization or in its name, every change of
 * its schedules, its bulk actions, and every read of the secret that signs webhooks. Jobs and messages have their own logs.
 */
export const AUDIT_ACTIONS = [
  'organization.registered',
  'login.succeeded',
  'login.failed',
  'session.switched',
  'logout',
  'password.changed',
  'password.reset',
  'member.invited',
  'invite.revoked',
  'invite.accepted',
  'member.role_changed',
  'member.removed',
  'api_key.created',
  'api_key.changed',
  'api_key.rotated',
  'api_key.revoked',
  'webhook_secret.read',
  'webhook_secret.rotated',
  'secret.set',
  'secret.deleted',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.rotated',
  'domain.added',
  'domain.verified',
  'domain.removed',
  'sender_id.added',
  'sender_id.approved',
  'sender_id.removed',
  'limit.set',
  'limit.deleted',
  'settings.changed',
  'bulk.started',
  'bulk.stopped',
  'schedule.created',
  'schedule.changed',
  'schedule.paused',
  'schedule.resumed',
  'schedule.deleted',
  'template.created',
  'template.replaced',
  'template.removed',
  'suppression.lifted',
  'data.erased',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Details of an action, in fixed words: roles, kinds, prefixes. Never a secret. */
export type AuditDetails = Readonly<Record<string, string>>;

/** An action in an organization, as the audit log shows it. */
export interface AuditEntryView {
  id: string;
  at: string;
  action: AuditAction;
  /** The user who did it, with their address at that time; null: the request had no signed-in user. */
  actor: { id: string; email: string } | null;
  /**
   * The object of the action: its id, and its name at that time. The name of a member, an invite or an account is its
   * address.
   */
  target: { id: string; name: string } | null;
  /** The client's IP address; null in organizations other than the one that the user was signed in to. */
  ip: string | null;
  /**
   * The request's `X-Request-Id`, with the prefix `caller:` if the caller chose it; null where `ip` is null for that
   * reason.
   */
  request_id: string | null;
  details: AuditDetails;
}
