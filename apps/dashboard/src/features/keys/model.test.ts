import { SCOPES, type Scope } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { expiryError, groupsOf, isSame, NEW_KEY, PRESETS, scopeWords, settingsOf, typesError } from './model.js';

const NOW = Date.parse('2026-11-01T00:00:00.000Z');

test('a new key has all types and no expiry, unless the user chooses them', () => {
  expect(settingsOf({ ...NEW_KEY, name: 'a', types: ['left'], expires_at: '2026-12-01T00:00:00.000Z' }, NOW)).toEqual({
    name: 'a',
    scopes: ['jobs:read', 'jobs:write'],
    types: null,
    expires_at: null,
  });
  expect(settingsOf({ ...NEW_KEY, access: 'chosen', types: ['webhook'], expiry: '30' }, NOW)).toMatchObject({
    types: ['webhook'],
    expires_at: '2026-12-01T00:00:00.000Z',
  });
  const at = '2026-12-24T18:00:00.000Z';
  expect(settingsOf({ ...NEW_KEY, expiry: 'time', expires_at: at }, NOW).expires_at).toBe(at);
});

test('job types are rejected if there are none, too many, or one that is not a name', () => {
  expect(typesError(['webhook', 'send_sms'])).toBeNull();
  expect(typesError([])).toMatch(/^Add a job type/);
  expect(typesError(Array.from({ length: 51 }, (_, n) => `t${n}`))).toMatch(/at most 50/);
  expect(typesError(['webhook', 'two words'])).toMatch(/^“two words” is not/);
});

test('an expiry is rejected if it is missing, past, or more than a year ahead', () => {
  const after = (days: number) => expiryError(new Date(NOW + days * 86_400_000).toISOString(), NOW);

  expect(after(365)).toBeNull();
  expect(expiryError(null, NOW)).toMatch(/^Enter a date/);
  expect(after(-1)).toMatch(/future/);
  expect(after(400)).toMatch(/at most a year/);
});

test('scopes are shown in groups, and every scope has a sentence', () => {
  expect(groupsOf(SCOPES).map(({ name }) => name)).toEqual(['Jobs', 'Messages', 'Schedules', 'Statistics']);
  expect(
    groupsOf(SCOPES).flatMap(({ scopes }) => scopes.filter(({ sentence }) => !/^[A-Z].+\.$/.test(sentence))),
  ).toEqual([]);
});

test('a list names the scopes shortly, in the same order for every key', () => {
  expect(scopeWords(['messages:send', 'jobs:write', 'jobs:read'])).toEqual(['Jobs: read, write', 'Messages: send']);
  expect(scopeWords([...SCOPES].reverse())).toEqual(['Everything']);
});

test('a preset is recognized by its scopes in any order', () => {
  const chosen = (scopes: readonly Scope[]) => PRESETS.filter((preset) => isSame(preset.scopes, scopes));

  expect(chosen(['jobs:write', 'jobs:read'])).toMatchObject([{ label: 'Submit and read jobs' }]);
  expect(chosen(['jobs:read', 'messages:read', 'stats:read', 'schedules:read'])).toMatchObject([
    { label: 'Read only' },
  ]);
  expect(chosen(['jobs:write'])).toEqual([]);
});
