/**
 * What the audit log tells of: everything that changes who may do what here, or in whose name, and who has read the
 * secret that signs webhooks. Jobs and messages have
 * logs of their own.
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
  'api_key.revoked',
  'webhook_secret.read',
  'webhook_secret.rotated',
  'domain.added',
  'domain.verified',
  'domain.removed',
  'sender_id.added',
  'sender_id.approved',
  'sender_id.removed',
  'template.created',
  'template.replaced',
  'template.removed',
  'suppression.lifted',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** More about an action, by fixed words: roles, kinds, prefixes. Never a secret. */
export type AuditDetails = Readonly<Record<string, string>>;

/** So long an entry is kept; the database refuses to delete a younger one. */
export const AUDIT_RETENTION_DAYS = 365;

/** Something that was done in an organization. */
export interface AuditEntryView {
  id: string;
  at: string;
  action: AuditAction;
  /** The user who did it, with the address of then; null: nobody was signed in. */
  actor: { id: string; email: string } | null;
  /** What it was done to, by its id and its name of then: that of a member, an invite or an account is its address. */
  target: { id: string; name: string } | null;
  /** The address that the request came from; null in other organizations than the one that was signed in to. */
  ip: string | null;
  /** The request's `X-Request-Id`, after `caller:` where its caller chose it; null in other organizations than `ip`'s. */
  request_id: string | null;
  details: AuditDetails;
}
