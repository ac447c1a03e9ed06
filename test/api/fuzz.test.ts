import { expect, it } from 'vitest';
import { failureOf, fuzz } from './fuzz/fuzz.js';

/** `npm run test:long` sends 20,000 requests with a new seed each time. */
const REQUESTS = 1_000;
/** The same requests each time; set FUZZ_SEED to get others. */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_121);

it(`${REQUESTS} requests generated from the API document get the documented responses (FUZZ_SEED=${seed})`, async () => {
  const { failures, changedRows, sent } = await fuzz({ requests: REQUESTS, seed });

  expect(failures, `FUZZ_SEED=${seed}`).toEqual([]);
  expect(changedRows).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(REQUESTS);
});

it.each([
  ['an answer 500', 500, '', 'no failure', /an answer 500/],
  ['a body that breaks its schema', 200, '', '[{"id": 1}]', /id/],
  ["another organization's data in a body", 200, '', '[{"id": "quokka-1"}]', /quokka-1 is to be seen/],
  ["another organization's data in a header", 200, 'quokka-1', '[]', /quokka-1 is to be seen/],
])('%s is a failure', (_what, status, header, text, failure) => {
  const wire = { operation: 'listJobs', method: 'GET', path: '/jobs', caller: 'owner', headers: {} };
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-next-cursor': header });

  expect(failureOf(wire, { status, headers, text }, ['quokka-1'])).toMatch(failure);
});
