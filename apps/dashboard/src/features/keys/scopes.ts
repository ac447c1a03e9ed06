import { DEFAULT_SCOPES, SCOPES, type Scope } from '@jobline/contracts';

/** What a key with this scope may do. */
const SENTENCES: Readonly<Record<Scope, string>> = {
  'jobs:read': 'Read jobs with their logs, results and files, and list the job types.',
  'jobs:write': 'Submit, change, retry, cancel and delete jobs.',
  'messages:read': 'Read emails and SMS, with their status.',
  'messages:send': 'Send emails and SMS without a job.',
  'schedules:read': 'Read schedules and preview their times.',
  'schedules:write': 'Create, change, pause, run and delete schedules.',
  'stats:read': 'Read the statistics of jobs, and why jobs failed.',
};

const GROUP_NAMES: Readonly<Record<string, string>> = {
  jobs: 'Jobs',
  messages: 'Messages',
  schedules: 'Schedules',
  stats: 'Statistics',
};

export interface ScopeGroup {
  name: string;
  scopes: { scope: Scope; sentence: string }[];
}

/** These scopes in groups, such as Jobs. Groups without a scope are left out. */
export function groupsOf(scopes: readonly Scope[]): ScopeGroup[] {
  const listed = SCOPES.filter((scope) => scopes.includes(scope));
  return [...new Set(listed.map(groupOf))].map((group) => ({
    name: GROUP_NAMES[group] ?? group,
    scopes: listed.filter((scope) => groupOf(scope) === group).map((scope) => ({ scope, sentence: SENTENCES[scope] })),
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
