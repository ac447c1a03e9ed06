import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createFaultyPlace,
  type FaultyPlace,
  finishUnderFaults,
  startsOf,
  submitCalls,
} from '../chaos/limit-faults.js';
import { until } from '../harness/index.js';

/** The short form is in test/chaos/limits.test.ts. */
const JOBS = 2_000;
const KEYS = 1_000;
const CONCURRENCY = 3;
const PER_SECOND = 5;

let place: FaultyPlace;
beforeEach(async () => {
  place = await createFaultyPlace(4, 100);
});
afterEach(() => place.end());

async function expectAllDone(limit: string): Promise<void> {
  const status = await place.db.job.groupBy({ by: ['status'], _count: true });
  expect(status).toEqual([{ status: 'done', _count: JOBS }]);
  await until('the limit to be free', async () => {
    const { body } = await place.person.get('/org/limits');
    return body.find(({ name }: { name: string }) => name === limit).running === 0;
  });
}

it('under faults at most 3 of 2,000 jobs run at the same time, and at most 5 start per second', async () => {
  await place.person.put('/org/limits/three', { concurrency: CONCURRENCY, per_second: PER_SECOND });
  const jobs = Array.from({ length: JOBS }, (_, n) => ({ group: 'all', name: `${n}` }));
  await submitCalls(place, jobs, 'three');
  await finishUnderFaults(place, JOBS, 200);

  const starts = await startsOf(place.db);
  let most = 0;
  for (const [i, from] of starts.entries()) {
    for (const [n, to] of starts.slice(i, i + 500).entries()) {
      const t = (to - from) / 1_000;
      most = Math.max(most, (n + 1) / (t + 1));
      expect(n + 1).toBeLessThanOrEqual(PER_SECOND * (t + 1));
    }
  }
  const open = Math.max(...place.receiver.arrivals.map((arrival) => arrival.open));
  expect(open).toBeLessThanOrEqual(CONCURRENCY);
  await expectAllDone('three');
  console.log(
    `${starts.length} starts of ${JOBS} jobs; at most ${open} at once, ${most.toFixed(2)} × (t + 1) in t seconds`,
  );
});

it('under faults the jobs of 1,000 keys start in order, one of a key at a time', async () => {
  await place.person.put('/org/limits/lane', { per: 'key', concurrency: 1, ordered: true });
  const jobs = Array.from({ length: JOBS }, (_, n) => {
    const key = `k${n % KEYS}`;
    return { group: key, name: `${Math.floor(n / KEYS)}`, key };
  });
  await submitCalls(place, jobs, 'lane');
  await finishUnderFaults(place, JOBS, 200);

  expect(place.receiver.arrivals.filter(({ open }) => open > 1)).toEqual([]);
  for (let n = 0; n < KEYS; n++) {
    const names = place.receiver.arrivals.filter(({ group }) => group === `k${n}`).map(({ name }) => Number(name));
    expect(names).toEqual([...names].sort((a, b) => a - b));
    expect(new Set(names).size).toBe(JOBS / KEYS);
  }
  await expectAllDone('lane');
  console.log(`${place.receiver.arrivals.length} calls of ${JOBS} jobs`);
});
