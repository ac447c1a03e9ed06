/**
 * Actions that the audit log records: every change of who may do what in an organization or in its name, every change of
 * its schedules, its bulk actions, and every read of the secret that signs webhooks. Jobs and messages have their own logs.
 * Each has its text in the past tense, which the name of the target follows.
 */
export const AUDIT_TEXTS = {
  'organization.registered': 'Registered the organization',
  'login.succeeded': 'Signed in',
  'login.failed': 'Failed to sign in as',
  'session.switched': 'Switched to this organization',
  logout: 'Signed out',
  'password.changed': 'Changed their password',
  'password.reset': 'Reset their password',
  'member.invited': 'Invited',
  'invite.revoked': 'Revoked the invite of',
  'invite.accepted': 'Accepted the invite',
  'member.role_changed': 'Changed the role of',
  'member.removed': 'Removed',
  'api_key.created': 'Created API key',
  'api_key.changed': 'Changed API key',
  'api_key.rotated': 'Rotated API key',
  'api_key.revoked': 'Revoked API key',
  'webhook_secret.read': 'Read the webhook secret',
  'webhook_secret.rotated': 'Rotated the webhook secret',
  'secret.set': 'Set secret',
  'secret.deleted': 'Deleted secret',
  'webhook.created': 'Created webhook',
  'webhook.changed': 'Changed webhook',
  'webhook.deleted': 'Deleted webhook',
  'webhook.rotated': 'Rotated the secret of webhook',
  'domain.added': 'Added domain',
  'domain.verified': 'Verified domain',
  'domain.removed': 'Removed domain',
  'sender_id.added': 'Added sender ID',
  'sender_id.approved': 'Approved sender ID',
  'sender_id.removed': 'Removed sender ID',
  'limit.set': 'Set limit',
  'limit.deleted': 'Deleted limit',
  'settings.changed': 'Changed the settings',
  'bulk.started': 'Started the bulk action',
  'bulk.stopped': 'Stopped the bulk action',
  'schedule.created': 'Created schedule',
  'schedule.changed': 'Changed schedule',
  'schedule.paused': 'Paused schedule',
  'schedule.resumed': 'Resumed schedule',
  'schedule.deleted': 'Deleted schedule',
  'template.created': 'Created template',
  'template.replaced': 'Changed template',
  'template.removed': 'Removed template',
  'suppression.lifted': 'Removed the suppression of',
  'data.erased': 'Requested an',
} as const;
export type AuditAction = keyof typeof AUDIT_TEXTS;
export const AUDIT_ACTIONS: readonly AuditAction[] = Object.keys(AUDIT_TEXTS) as AuditAction[]; // the keys of AUDIT_TEXTS

/** Details of an action, in fixed words: roles, kinds, prefixes. Never a secret. */
export type AuditDetails = Readonly<Record<string, string>>;
