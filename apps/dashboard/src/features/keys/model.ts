import type { ApiKey } from '@jobline/client';
import { DEFAULT_SCOPES, KEY_LIMITS, LIMITS, NAME_PATTERN, SCOPE_TEXTS, SCOPES, type Scope } from '@jobline/contracts';
import { changedFields } from '../../format/index.js';

type KeySettings = Pick<ApiKey, 'name' | 'scopes' | 'types' | 'expires_at'>;

const DAY_MS = 24 * 3_600_000;

/** When a new key expires: after so many days, at a time that the user enters, or never. */
export const EXPIRY_OPTIONS = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'time', label: 'At a date and time' },
] as const;

/** The values of the form. */
export interface KeyValues {
  name: string;
  scopes: Scope[];
  access: 'all' | 'chosen';
  /** Used if `access` is `chosen`. */
  types: string[];
  expiry: (typeof EXPIRY_OPTIONS)[number]['value'];
  /** ISO 8601. Used if `expiry` is `time`. */
  expires_at: string | null;
}

export const NEW_KEY: KeyValues = {
  name: '',
  scopes: [...DEFAULT_SCOPES],
  access: 'all',
  types: [],
  expiry: 'never',
  expires_at: null,
};

export function settingsOf(values: KeyValues, now: number): KeySettings {
  const { name, scopes, access, types } = values;
  return { name, scopes, types: access === 'all' ? null : types, expires_at: expiryOf(values, now) };
}

/** The values of the form for a key that is changed. */
export function valuesOf({ name, scopes, types, expires_at }: ApiKey): KeyValues {
  const access = types === null ? 'all' : 'chosen';
  return { name, scopes, access, types: types ?? [], expiry: expires_at ? 'time' : 'never', expires_at };
}

/** What differs from the key. */
export function changesOf(key: ApiKey, values: KeyValues, now: number): Partial<KeySettings> {
  return changedFields<KeySettings>(key, settingsOf(values, now));
}

function expiryOf({ expiry, expires_at: at }: KeyValues, now: number): string | null {
  if (expiry === 'never') return null;
  return expiry === 'time' ? at : new Date(now + Number(expiry) * DAY_MS).toISOString();
}

/** A rule for the chosen job types. */
export function typesError(types: readonly string[]): string | null {
  if (types.length === 0) return 'Add a job type, or choose all job types.';
  if (types.length > KEY_LIMITS.types) return `A key can have at most ${KEY_LIMITS.types} job types.`;
  const wrong = types.find((type) => !NAME_PATTERN.test(type));
  return wrong === undefined ? null : `“${wrong}” is not a job type: use 1 to 128 of A–Z a–z 0–9 . _ : -`;
}

/** A rule for the time at which a key expires. */
export function expiryError(at: string | null, now: number): string | null {
  if (at === null) return 'Enter a date and time.';
  const ahead = Date.parse(at) - now;
  if (ahead <= 0) return 'Enter a time in the future.';
  return ahead > LIMITS.runAtAheadMs ? 'Enter a time at most a year ahead.' : null;
}

const GROUP_NAMES: Readonly<Record<string, string>> = {
  jobs: 'Jobs',
  messages: 'Messages',
  schedules: 'Schedules',
  stats: 'Statistics',
};

/** These scopes in groups, such as Jobs. Groups without a scope are left out. */
export function groupsOf(scopes: readonly Scope[]) {
  const listed = SCOPES.filter((scope) => scopes.includes(scope));
  return [...new Set(listed.map(groupOf))].map((group) => ({
    name: GROUP_NAMES[group] ?? group,
    scopes: listed
      .filter((scope) => groupOf(scope) === group)
      .map((scope) => ({ scope, sentence: SCOPE_TEXTS[scope] })),
  }));
}

/** Short texts for a list: `Jobs: read, write`, or `Everything`. */
export function scopeWords(scopes: readonly Scope[]): string[] {
  if (isSame(scopes, SCOPES)) return ['Everything'];
  return groupsOf(scopes).map((group) => `${group.name}: ${group.scopes.map(({ scope }) => verbOf(scope)).join(', ')}`);
}

/** Usual choices. */
export const PRESETS: readonly { label: string; scopes: readonly Scope[] }[] = [
  { label: 'Submit and read jobs', scopes: DEFAULT_SCOPES },
  { label: 'Everything', scopes: SCOPES },
  { label: 'Read only', scopes: SCOPES.filter((scope) => verbOf(scope) === 'read') },
];

/** Whether two lists have the same scopes, in any order. */
export function isSame(one: readonly Scope[], other: readonly Scope[]): boolean {
  return one.length === other.length && one.every((scope) => other.includes(scope));
}

function groupOf(scope: Scope): string {
  return scope.slice(0, scope.indexOf(':'));
}

function verbOf(scope: Scope): string {
  return scope.slice(scope.indexOf(':') + 1);
}
