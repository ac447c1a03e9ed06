import { expect, it } from 'vitest';
import { singleFlight } from './single-flight.js';

it('concurrent calls for one key share one load, and other keys have their own', async () => {
  const loads: string[] = [];
  const load = singleFlight(async (key: string) => {
    loads.push(key);
    return key.toUpperCase();
  });

  expect(await Promise.all([load('a'), load('a'), load('b')])).toEqual(['A', 'A', 'B']);
  expect(loads).toEqual(['a', 'b']);
});

it('a call after the load has ended loads again, even if the load failed', async () => {
  let loads = 0;
  const load = singleFlight(async () => {
    if (++loads === 1) throw new Error('the first load fails');
    return loads;
  });

  const both = await Promise.allSettled([load(), load()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await load()).toBe(2);
});
