/** What an API key may do. Every endpoint that accepts keys requires one of them. */
export const SCOPES = [
  'jobs:read',
  'jobs:write',
  'messages:read',
  'messages:send',
  'schedules:read',
  'schedules:write',
  'stats:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes of a key that was created without any. */
export const DEFAULT_SCOPES = ['jobs:read', 'jobs:write'] as const satisfies readonly Scope[];

/** The job types that a caller may submit and see, in alphabetical order; null: all. */
export type VisibleTypes = readonly string[] | null;

/** Limits of API keys. */
export const KEY_LIMITS = {
  /** How many job types a key can be restricted to. */
  types: 50,
  /** How long a rotated key continues to work, at most and usually. */
  overlapHours: 168,
  usualOverlapHours: 24,
} as const;
