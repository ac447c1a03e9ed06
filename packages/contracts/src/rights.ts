/** Roles of members, from most rights to least. */
export const ROLES = ['owner', 'admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** Roles that an invite can give. Only a member can become an owner. */
export const INVITED_ROLES = ['admin', 'member'] as const satisfies readonly Role[];
export type InvitedRole = (typeof INVITED_ROLES)[number];

/** API keys have the rights of this role, at the endpoints of their scopes. */
export const API_KEY_ROLE = 'member' satisfies Role;

/**
 * Right that an endpoint requires, and that a page checks before it offers the action → the roles that have it. This
 * table is the whole role matrix.
 */
export const RIGHTS = {
  /** Submit, read, change, retry, cancel and delete jobs. */
  jobs: ['owner', 'admin', 'member'],
  /** Create, read, change, pause and delete schedules, and run them now. */
  schedules: ['owner', 'admin', 'member'],
  /** See the stacks of errors of custom handlers, unless HANDLER_STACKS allows members to see them or no one. */
  error_stacks: ['owner', 'admin'],
  /** Manage one's own account and sessions. */
  account: ['owner', 'admin', 'member'],
  /** See who belongs to the organization. */
  read_members: ['owner', 'admin'],
  /** Change roles and remove members. */
  members: ['owner'],
  /** Invite people, list the invites, and revoke them. */
  invites: ['owner'],
  /** Read what was done to members, keys and domains, and who signed in. */
  audit: ['owner', 'admin'],
  /** Create, list and revoke API keys. */
  api_keys: ['owner', 'admin'],
  /** See and rotate the secret that signs outgoing webhooks. */
  webhook_secret: ['owner', 'admin'],
  /** Store secrets that jobs send to receivers, list their names, and delete them. */
  secrets: ['owner', 'admin'],
  /** Have events sent to addresses, and read what was delivered. */
  webhooks: ['owner', 'admin'],
  /** Send email and SMS, and read what was sent. */
  messages: ['owner', 'admin', 'member'],
  /** See the limits of the organization, and what waits for them. */
  read_limits: ['owner', 'admin', 'member'],
  /** Set, change, pause and delete limits. */
  limits: ['owner', 'admin'],
  /** See the settings of the organization. */
  read_settings: ['owner', 'admin', 'member'],
  /** Change the settings of the organization. */
  settings: ['owner', 'admin'],
  /** List suppressed recipients, and lift suppressions. */
  suppressions: ['owner', 'admin'],
  /** Erase what is stored about an address or a key, and follow that. */
  erasures: ['owner', 'admin'],
  /** List domains and sender ids: a sender must choose among them. */
  read_senders: ['owner', 'admin', 'member'],
  /** Add, verify and remove domains and sender ids. */
  senders: ['owner', 'admin'],
  /** Read templates and preview them. */
  read_templates: ['owner', 'admin', 'member'],
  /** Create, change and remove templates. */
  templates: ['owner', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Right = keyof typeof RIGHTS;

export function hasRight(role: Role, right: Right): boolean {
  return rolesWith(right).includes(role);
}

export function rolesWith(right: Right): readonly Role[] {
  return RIGHTS[right];
}

/** What an API key may do, with a sentence for each. Every endpoint that accepts keys requires one of them. */
export const SCOPE_TEXTS = {
  'jobs:read': 'Read jobs with their logs, results and files, and list the job types.',
  'jobs:write': 'Submit, change, retry, cancel and delete jobs.',
  'messages:read': 'Read emails and SMS, with their status.',
  'messages:send': 'Send emails and SMS without a job.',
  'schedules:read': 'Read schedules and preview their times.',
  'schedules:write': 'Create, change, pause, run and delete schedules.',
  'stats:read': 'Read the statistics of jobs, and why jobs failed.',
} as const;
export type Scope = keyof typeof SCOPE_TEXTS;
export const SCOPES: readonly Scope[] = Object.keys(SCOPE_TEXTS) as Scope[]; // the keys of SCOPE_TEXTS

/** What the role of a user must allow at the endpoints of a scope. */
export const SCOPE_RIGHTS = {
  'jobs:read': 'jobs',
  'jobs:write': 'jobs',
  'messages:read': 'messages',
  'messages:send': 'messages',
  'schedules:read': 'schedules',
  'schedules:write': 'schedules',
  'stats:read': 'jobs',
} as const satisfies Record<Scope, Right>;

/** The scopes of a key that was created without any. */
export const DEFAULT_SCOPES = ['jobs:read', 'jobs:write'] as const satisfies readonly Scope[];

/** The job types that a caller may submit and see, in alphabetical order; null: all. */
export type VisibleTypes = readonly string[] | null;
