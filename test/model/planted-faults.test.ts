import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCampaign } from './campaign.js';
import { createModelDatabase, type ModelDatabase, type Planted, plantInFunction } from './database.js';
import { PLANTED_FAULTS, PLANTED_IN_FUNCTIONS } from './planted-faults.js';

const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

let database: ModelDatabase;
beforeAll(async () => {
  database = await createModelDatabase();
});
afterAll(() => database.drop());

/** Every planted bug must be found within this many interleavings. Most are found in the first hundred. */
const PLANTED_SEQUENCES = 3_000;
const PLANTED_PER_WORLD = 100;

it.each(Object.entries(PLANTED_FAULTS))('the model finds %s', async (_fault, { planted, shows }) => {
  await expectFound(shows, planted);
});

it.each(Object.entries(PLANTED_IN_FUNCTIONS))('the model finds %s', async (_fault, { inFunction, planted, shows }) => {
  const restore = await plantInFunction(database, inFunction, planted);
  try {
    await expectFound(shows);
  } finally {
    await restore();
  }
});

async function expectFound(shows: RegExp, planted: Planted | null = null): Promise<void> {
  const campaign = { seed, sequences: PLANTED_SEQUENCES, perWorld: PLANTED_PER_WORLD, planted, shrinks: false };
  const { done, failure } = await runCampaign(database, campaign);

  const shown = failure?.violations.map(({ what }) => what).join('\n') ?? '';
  expect(shown, `MODEL_SEED=${seed}, ${done} interleavings`).toMatch(shows);
}
