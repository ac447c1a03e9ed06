import { expect, it } from 'vitest';
import { failureOf, retryRisk } from './failure-advice.js';

it('a retry is asked about exactly where it may do something twice', () => {
  expect(retryRisk('mobile_money_stk', 'timeout')).toContain('charged twice');
  expect(retryRisk('send_sms', 'unknown_effect')).toContain('twice');
  expect(retryRisk('send_sms', 'timeout')).toBeNull();
  expect(retryRisk('webhook', null)).toBeNull();
});

it('a code that a newer server made up is shown without advice', () => {
  expect(failureOf('timeout').nextStep).toContain('retry');
  expect(failureOf('made_up').nextStep).toBeNull();
  expect(failureOf('toString').nextStep).toBeNull();
});
