import { expect, test } from 'vitest';
import { changesOf, settingsOf, valuesOf } from './model.js';
import type { Limit } from './queries.js';

const limit: Limit = {
  id: 'crm-api',
  name: 'crm-api',
  types: ['webhook', 'send_sms'],
  concurrency: 3,
  per_second: 0.5,
  burst: 1,
  per: 'organization',
  ordered: false,
  paused: true,
  running: 0,
  waiting: 0,
};

test('the form of a limit gives the same settings, without a burst that follows from the rate', () => {
  expect(settingsOf(valuesOf(limit))).toEqual({
    types: ['webhook', 'send_sms'],
    concurrency: 3,
    per_second: 0.5,
    per: 'organization',
    ordered: false,
  });
  expect(settingsOf(valuesOf({ ...limit, burst: 7 }))).toMatchObject({ burst: 7 });
});

test('strict order means one job of a key at a time', () => {
  expect(settingsOf({ ...valuesOf(limit), per: 'ordered' })).toMatchObject({
    concurrency: 1,
    per: 'key',
    ordered: true,
  });
});

test('a change has only the settings that differ, and never the pause', () => {
  const before = valuesOf(limit);

  expect(changesOf(before, before)).toEqual({});
  expect(changesOf(before, { ...before, per_second: '50', types: 'webhook' })).toEqual({
    per_second: 50,
    types: ['webhook'],
  });
  expect(changesOf(before, { ...before, per_second: '' })).toEqual({ per_second: null });
});

test('a burst can only be removed with all settings, unless its rate is removed, too', () => {
  const before = valuesOf({ ...limit, burst: 7 });

  expect(changesOf(before, { ...before, burst: '' })).toBeNull();
  expect(changesOf(before, { ...before, burst: '', per_second: '' })).toEqual({ per_second: null });
});
