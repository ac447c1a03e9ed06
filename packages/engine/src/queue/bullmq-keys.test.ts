import { readFileSync } from 'node:fs';
import { QueueKeys } from 'bullmq';
import { expect, test } from 'vitest';
import { entryKey, listKey, markerKey } from './bullmq-keys.js';
import { queuePrefix } from './names.js';

test('BullMQ keeps a queue in the keys that this version expects', () => {
  const keys = new QueueKeys(queuePrefix('jobline', 'io'));
  const of = keys.getKeys('io');

  for (const list of ['wait', 'prioritized', 'active', 'delayed'] as const) {
    expect(listKey('jobline', 'io', list)).toBe(of[list]);
  }
  expect(markerKey('jobline', 'io')).toBe(of.marker);
  expect(entryKey('jobline', 'io', 'x-1')).toBe(keys.toKey('io', 'x-1'));
});

// The order of the lists and the meaning of the marker are not visible in the names. After an upgrade, read the scripts
// moveToActive, addJob and moveJobFromActiveToWait of the new version, and then change the number.
test('the installed BullMQ is the version whose scripts were read', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

  expect(dependencies.bullmq).toBe('6.7.0');
});
