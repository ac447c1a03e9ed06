import { expect, test } from 'vitest';
import { alertsOf, alertValues, daysOf, effectProblem, isSooner, keysDeletedBy, retentionValues } from './model.js';

test('the form of the retention gives the same days', () => {
  expect(daysOf(retentionValues(14))).toBe(14);
  expect(daysOf(retentionValues(null))).toBeNull();
  expect(daysOf({ keep: 'installation', retention_days: '14' })).toBeNull();
});

test('a shorter retention deletes jobs, and a longer one does not', () => {
  expect(isSooner(null, 14)).toBe(true);
  expect(isSooner(14, 7)).toBe(true);
  expect(isSooner(14, 14)).toBe(false);
  expect(isSooner(14, null)).toBe(false);
});

test('a redaction deletes the values of added keys, and of all keys if it is sooner', () => {
  const before = { payload_keys: ['card', 'pin'], after_days: 7 };

  expect(keysDeletedBy(before, { payload_keys: ['pin', 'iban'], after_days: 30 })).toEqual(['iban']);
  expect(keysDeletedBy(before, { payload_keys: ['pin'], after_days: 7 })).toEqual([]);
  expect(keysDeletedBy(before, { payload_keys: ['pin'], after_days: 0 })).toEqual(['pin']);
});

const OFF = { email: false, webhook: false, failure_rate_percent: null, oldest_waiting_seconds: null };

test('the form of alerts gives the same settings', () => {
  const alerts = { email: true, webhook: false, failure_rate_percent: 20, oldest_waiting_seconds: 90 };
  const options = { min_jobs: 5, types: ['send_email'], chat: { channel: '#jobs' } };

  expect(alertsOf(alertValues(alerts))).toEqual(alerts);
  expect(alertsOf(alertValues({ ...alerts, ...options }))).toEqual({ ...alerts, ...options });
  expect(alertsOf(alertValues(OFF))).toEqual(OFF);
  expect(alertValues({ ...OFF, oldest_waiting_seconds: 300 })).toMatchObject({
    oldest_waiting_seconds: '5',
    unit: 'minutes',
  });
});

test('settings without an effect are explained', () => {
  const values = alertValues(OFF);

  expect(effectProblem(values)).toBeNull();
  expect(effectProblem({ ...values, email: true })).toMatch(/^No alert is raised/);
  expect(effectProblem({ ...values, failure_rate_percent: '5' })).toMatch(/^No one is notified/);
  expect(effectProblem({ ...values, channel: '#jobs', failure_rate_percent: '5' })).toBeNull();
  expect(effectProblem({ ...values, webhook: true, oldest_waiting_seconds: '5' })).toBeNull();
});
