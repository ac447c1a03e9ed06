import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCampaign } from './campaign.js';
import { EXPECTED_SOON } from './coverage.js';
import { createModelDatabase, type ModelDatabase } from './database.js';

/** `npm run test:long -- test/long/model.test.ts` runs 100,000. */
const SEQUENCES = Number(process.env.MODEL_SEQUENCES ?? 450);
const PER_WORLD = Number(process.env.MODEL_PER_WORLD ?? 150);
const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

let database: ModelDatabase;
beforeAll(async () => {
  database = await createModelDatabase();
});
afterAll(() => database.drop());

it(`every job finishes with the right outcome in ${SEQUENCES} random interleavings (MODEL_SEED=${seed})`, async () => {
  const { done, counts, failure } = await runCampaign(database, { seed, sequences: SEQUENCES, perWorld: PER_WORLD });

  expect(failure?.text).toBeUndefined();
  expect(done).toBeGreaterThanOrEqual(SEQUENCES);
  expect(EXPECTED_SOON.filter((what) => !counts.get(what))).toEqual([]);
});
