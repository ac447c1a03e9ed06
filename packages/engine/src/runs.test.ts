import type { JobKey, OrgId } from '@jobline/contracts';
import type { Claim } from '@jobline/db/job-transitions';
import { expect, it } from 'vitest';
import { Cancellation, createRuns } from './runs.js';

// The casts: ids of no job and no organization.
const claim = (token: string): Claim => ({
  key: 'key' as JobKey,
  token,
  orgId: 'org' as OrgId,
  type: 'a',
  queue: 'io',
  seq: 1,
  payload: '{}',
  payloadBytes: 2,
  attempt: 1,
  retries: 0,
  maxRetries: 0,
  losses: 0,
  traceparent: null,
  startedAt: new Date(),
});

it('a cancel that comes before the answer to the claim reaches the run', () => {
  const runs = createRuns();
  runs.expect('token');

  runs.cancel('token');

  expect(runs.open(claim('token')).controller.signal.reason).toBeInstanceOf(Cancellation);
});

it('a cancel reaches no other run of the job, and leaves nothing behind', () => {
  const runs = createRuns();
  runs.cancel('earlier');
  runs.expect('earlier');
  expect(runs.open(claim('earlier')).controller.signal.aborted).toBe(false);

  runs.expect('refused');
  runs.cancel('refused');
  runs.forget('refused');
  runs.expect('refused');
  expect(runs.open(claim('refused')).controller.signal.aborted).toBe(false);
});

it('the first reason for which a signal fires is the one that counts', () => {
  const runs = createRuns();
  runs.expect('token');
  const { controller } = runs.open(claim('token'));

  runs.interruptAll('its worker stops');
  runs.cancel('token');

  expect(controller.signal.reason).toMatchObject({ message: 'its worker stops' });
});
