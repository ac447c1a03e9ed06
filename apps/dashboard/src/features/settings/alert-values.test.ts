import { expect, test } from 'vitest';
import { alertsOf, effectProblem, valuesOf } from './alert-values.js';

const OFF = { email: false, webhook: false, failure_rate_percent: null, oldest_waiting_seconds: null };

test('the form of alerts gives the same settings', () => {
  const alerts = { email: true, webhook: false, failure_rate_percent: 20, oldest_waiting_seconds: 90 };

  expect(alertsOf(valuesOf(alerts))).toEqual(alerts);
  expect(alertsOf(valuesOf(OFF))).toEqual(OFF);
  expect(valuesOf({ ...OFF, oldest_waiting_seconds: 300 })).toMatchObject({
    oldest_waiting_seconds: '5',
    unit: 'minutes',
  });
});

test('settings without an effect are explained', () => {
  const values = valuesOf(OFF);

  expect(effectProblem(values)).toBeNull();
  expect(effectProblem({ ...values, email: true })).toMatch(/^No alert is raised/);
  expect(effectProblem({ ...values, failure_rate_percent: '5' })).toMatch(/^No one is notified/);
  expect(effectProblem({ ...values, webhook: true, oldest_waiting_seconds: '5' })).toBeNull();
});
