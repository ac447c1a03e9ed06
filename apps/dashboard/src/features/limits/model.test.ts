import { expect, test } from 'vitest';
import { boundsOf, changesOf, holdReason, settingsOf, valuesOf } from './model.js';
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
    hold: null,
  });
  expect(settingsOf(valuesOf({ ...limit, burst: 7 }))).toMatchObject({ burst: 7 });
});

test('a limit that holds itself says when, and while it does, why and what ends it', () => {
  const holding: Limit = { ...limit, hold: { after: 5, probe_seconds: 30 }, held_since: null };
  expect(settingsOf(valuesOf(holding))).toMatchObject({ hold: { after: 5, probe_seconds: 30 } });
  expect(boundsOf(holding)).toContain('holds itself after 5 failures in a row');
  expect(holdReason(holding)).toBeNull();
  expect(holdReason({ ...holding, held_since: '2026-11-30T10:00:00.000Z' })).toMatch(
    /^5 failures in a row .* every 30 s/,
  );
  const values = valuesOf(limit);
  expect(settingsOf({ ...values, hold: { after: '1', probe_seconds: '' } }).hold).toEqual({
    after: 1,
    probe_seconds: 60,
  });
  expect(changesOf(valuesOf(holding), values)).toEqual({ hold: null });
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
