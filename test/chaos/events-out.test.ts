import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectEveryEnd } from './event-faults.js';
import { createFaultyPlace, type FaultyPlace } from './limit-faults.js';

const JOBS = 150;

let place: FaultyPlace;
beforeEach(async () => {
  place = await createFaultyPlace(2, 5);
});
afterEach(() => place.end());

it('no fault loses the event of a job that has finished, or reports the end of one that has not', async () => {
  const { calls } = await expectEveryEnd(place, JOBS, 30);

  expect(calls).toBeGreaterThanOrEqual(JOBS);
});
