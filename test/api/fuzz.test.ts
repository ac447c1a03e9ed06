import { expect, it } from 'vitest';
import { fuzz } from './fuzz/fuzz.js';

const REQUESTS = 1_500;
/** Printed when it fails; FUZZ_SEED makes the same requests again. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

it(`${REQUESTS} requests made from the API's document are answered as it says (FUZZ_SEED=${seed})`, async () => {
  const { faults, changedRows, sent } = await fuzz({ requests: REQUESTS, seed });

  expect(faults, `FUZZ_SEED=${seed}`).toEqual([]);
  expect(changedRows).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(REQUESTS);
}, 180_000);
