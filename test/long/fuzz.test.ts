import { expect, it } from 'vitest';
import { fuzz } from '../api/fuzz/fuzz.js';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

it(`${REQUESTS} requests generated from the OpenAPI document get the documented answers (FUZZ_SEED=${seed})`, async () => {
  const { failures, changedRows, sent, byStatus, byOperation } = await fuzz({ requests: REQUESTS, seed });

  console.log({ seed, sent, byStatus });
  console.table(byOperation);
  expect(failures, `FUZZ_SEED=${seed}`).toEqual([]);
  expect(changedRows).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(REQUESTS);
});
