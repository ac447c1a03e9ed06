import type { Role } from './roles.js';

/** What an endpoint can ask for, and a page before it offers it → the roles that have it. The whole role matrix is this table. */
const RIGHTS = {
  /** Submit, read, retry and cancel jobs. */
  jobs: ['owner', 'admin', 'member'],
  /** One's own account and sessions. */
  account: ['owner', 'admin', 'member'],
  /** See who belongs to the organization. */
  read_members: ['owner', 'admin'],
  /** Change roles and remove members. */
  members: ['owner'],
  /** Invite people, see who is invited, and revoke it. */
  invites: ['owner'],
  /** Read what was done to members, keys and domains, and who signed in. */
  audit: ['owner', 'admin'],
  /** Make, list and revoke API keys. */
  api_keys: ['owner', 'admin'],
  /** See and rotate the secret that signs outgoing webhooks. */
  webhook_secret: ['owner', 'admin'],
  /** Send email and SMS, and read what was sent. */
  messages: ['owner', 'admin', 'member'],
  /** See who is sent nothing, and let them be written to again. */
  suppressions: ['owner', 'admin'],
  /** See domains and sender ids: whoever sends has to choose among them. */
  read_senders: ['owner', 'admin', 'member'],
  /** Add, verify and remove them. */
  senders: ['owner', 'admin'],
  /** See templates and try them out. */
  read_templates: ['owner', 'admin', 'member'],
  /** Write and remove them. */
  templates: ['owner', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Right = keyof typeof RIGHTS;

export function hasRight(role: Role, right: Right): boolean {
  return rolesWith(right).includes(role);
}

export function rolesWith(right: Right): readonly Role[] {
  return RIGHTS[right];
}
