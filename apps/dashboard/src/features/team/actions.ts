import type { AuditAction } from '@jobline/contracts';
import type { Option } from '../../ui/index.js';

/** The text of each action in the audit log. The target follows it. */
export const ACTION_NAMES: Readonly<Record<AuditAction, string>> = {
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
  'api_key.rotated': 'Rotated API key',
  'api_key.revoked': 'Revoked API key',
  'webhook_secret.read': 'Read the webhook secret',
  'webhook_secret.rotated': 'Rotated the webhook secret',
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
  'schedule.created': 'Created schedule',
  'schedule.changed': 'Changed schedule',
  'schedule.paused': 'Paused schedule',
  'schedule.resumed': 'Resumed schedule',
  'schedule.deleted': 'Deleted schedule',
  'template.created': 'Created template',
  'template.replaced': 'Changed template',
  'template.removed': 'Removed template',
  'suppression.lifted': 'Removed the suppression of',
};

/** The texts that need another form without a target, for the filter. */
const WITHOUT_TARGET: Partial<Record<AuditAction, string>> = {
  'login.failed': 'Failed to sign in',
  'member.invited': 'Invited a user',
  'invite.revoked': 'Revoked an invite',
  'invite.accepted': 'Accepted an invite',
  'member.role_changed': 'Changed a role',
  'member.removed': 'Removed a member',
  'suppression.lifted': 'Removed a suppression',
};

export const ACTION_OPTIONS: readonly Option<AuditAction | 'all'>[] = [
  { value: 'all', label: 'All actions' },
  ...Object.entries(ACTION_NAMES).map(([action, name]) => {
    const value = action as AuditAction; // a key of ACTION_NAMES
    return { value, label: WITHOUT_TARGET[value] ?? name };
  }),
];

/** `owner → admin`, `as member`, `jl_4fK2`. */
export function detailsText({ from, to, role, ...others }: Readonly<Record<string, string>>): string {
  const words = Object.values(others);
  if (from !== undefined && to !== undefined) words.push(`${from} → ${to}`);
  if (role !== undefined) words.push(`as ${role}`);
  return words.join(' · ');
}
