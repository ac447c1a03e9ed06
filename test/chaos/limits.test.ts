import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { createFaultyPlace, type FaultyPlace, finishUnderFaults, startsOf, submitCalls } from './limit-faults.js';

/** The long form is in test/long/limits.test.ts. */
const JOBS = 120;
const CONCURRENCY = 3;
const PER_SECOND = 20;

let place: FaultyPlace;
beforeEach(async () => {
  place = await createFaultyPlace(2, 30);
});
afterEach(() => place.end());

async function expectNothingLeft(limit: string): Promise<void> {
  const status = await place.db.job.groupBy({ by: ['status'], _count: true });
  expect(status).toEqual([{ status: 'done', _count: expect.any(Number) }]);
  await until('the limit to be free', async () => {
    const { body } = await place.person.get('/org/limits');
    const { running, waiting } = body.find(({ name }: { name: string }) => name === limit);
    return running === 0 && waiting === 0;
  });
}

it('no fault lets more jobs run at the same time or start per second than a limit allows, and all are done', async () => {
  await place.person.put('/org/limits/three', { concurrency: CONCURRENCY, per_second: PER_SECOND });
  const jobs = Array.from({ length: JOBS }, (_, n) => ({ group: 'all', name: `${n}` }));
  await submitCalls(place, jobs, 'three');
  await finishUnderFaults(place, JOBS, 30);

  expect(Math.max(...place.receiver.arrivals.map(({ open }) => open))).toBeLessThanOrEqual(CONCURRENCY);
  expect(new Set(place.receiver.arrivals.map(({ name }) => name)).size).toBe(JOBS);
  const starts = await startsOf(place.db);
  for (const [i, from] of starts.entries()) {
    for (const [n, to] of starts.slice(i).entries()) {
      expect(n + 1).toBeLessThanOrEqual(PER_SECOND * ((to - from) / 1_000 + 1));
    }
  }
  await expectNothingLeft('three');
});

it('no fault changes the order of the jobs of a key, or lets two of them run at the same time', async () => {
  await place.person.put('/org/limits/lane', { per: 'key', concurrency: 1, ordered: true });
  const keys = 30;
  const jobs = Array.from({ length: JOBS }, (_, n) => {
    const key = `k${n % keys}`;
    return { group: key, name: `${Math.floor(n / keys)}`, key };
  });
  await submitCalls(place, jobs, 'lane');
  await finishUnderFaults(place, JOBS, 30);

  expect(place.receiver.arrivals.filter(({ open }) => open > 1)).toEqual([]);
  for (let n = 0; n < keys; n++) {
    const names = place.receiver.arrivals.filter(({ group }) => group === `k${n}`).map(({ name }) => Number(name));
    expect(names).toEqual([...names].sort((a, b) => a - b));
    expect(new Set(names).size).toBe(JOBS / keys);
  }
  await expectNothingLeft('lane');
});
