import { expect, test } from 'vitest';
import { bodyOf, changesOf, newValues, valuesOf } from './model.js';
import type { Schedule } from './queries.js';

const schedule: Schedule = {
  id: '0192f0c1-7a3e-7c11-b0d2-55aa00ff9f3a',
  name: 'Nightly report',
  cron: '30 2 * * *',
  every_seconds: null,
  timezone: 'Europe/Berlin',
  description: 'At 02:30 (Europe/Berlin)',
  type: 'generate_pdf',
  payload: JSON.parse('{"template":"invoice"}'),
  max_retries: 2,
  priority: 5,
  tags: ['report', 'night'],
  limit: 'pdf',
  key: 'customer 1',
  callback_url: null,
  overlap: 'skip',
  missed: 'run_all',
  enabled: true,
  next_run_at: null,
  last_run_at: null,
  last_job_id: null,
  last_status: null,
  skipped: 0,
  created_at: '2026-11-21T14:02:11.204Z',
};

test('the form of a schedule gives the same schedule', () => {
  const body = bodyOf(valuesOf(schedule));

  const { id, every_seconds, description, enabled, next_run_at, last_run_at, last_job_id, last_status, ...rest } =
    schedule;
  const { skipped, created_at, ...settings } = rest;
  expect(body).toEqual(settings);
  expect(bodyOf(valuesOf({ ...schedule, cron: null, every_seconds: 5_400 }))).toMatchObject({ every_seconds: 5_400 });
});

test('a change has only the members that differ', () => {
  const before = valuesOf(schedule);

  expect(changesOf(before, before)).toEqual({});
  expect(changesOf(before, { ...before, name: 'Report', tags: 'night' })).toEqual({ name: 'Report', tags: ['night'] });
  expect(changesOf(before, { ...before, timing: 'period', every_seconds: '2', unit: 'hours' })).toEqual({
    every_seconds: 7_200,
  });
});

test('an empty text means that a field is not set', () => {
  const body = bodyOf({ ...newValues(), name: ' Report ', limit: ' ', tags: ' a,  b ' });

  expect(body).toMatchObject({ name: 'Report', limit: null, key: null, callback_url: null, tags: ['a', 'b'] });
});
