import { SCOPES, type Scope } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { groupsOf, isSame, PRESETS, scopeWords } from './scopes.js';

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
