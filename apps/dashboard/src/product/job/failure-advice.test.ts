import { expect, it } from 'vitest';
import { failureOf, retryRisk } from './failure-advice.js';

it('a retry needs a confirmation only if it may repeat an external effect', () => {
  expect(retryRisk('send_sms', 'unknown_effect')).toContain('twice');
  expect(retryRisk('send_sms', 'timeout')).toBeNull();
  expect(retryRisk('webhook', null)).toBeNull();
});

it('a retry of a payment prompt needs no confirmation, because it never asks the payer twice', () => {
  expect(retryRisk('mobile_money_stk', 'timeout')).toBeNull();
  expect(retryRisk('mobile_money_stk', 'unknown_effect')).toBeNull();
  expect(failureOf('mobile_money_stk', 'unknown_effect').nextStep).toContain('not asked again');
  expect(failureOf('send_sms', 'unknown_effect').nextStep).toContain('a second time');
});

it('an unknown error code of a newer server is shown without advice', () => {
  expect(failureOf('webhook', 'timeout').nextStep).toContain('retry');
  expect(failureOf('webhook', 'made_up').nextStep).toBeNull();
  expect(failureOf('webhook', 'toString').nextStep).toBeNull();
});
