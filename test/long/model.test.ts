import { expect, it } from 'vitest';
import { runCampaign } from '../model/campaign.js';
import { EXPECTED } from '../model/coverage.js';
import { createModelDatabase } from '../model/database.js';

const SEQUENCES = Number(process.env.MODEL_SEQUENCES ?? 100_000);
const PER_WORLD = Number(process.env.MODEL_PER_WORLD ?? 400);
const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** The number of worlds between two lines of progress. */
const SHOWN_EVERY = 25;

it(`every job finishes with the right status in ${SEQUENCES} random interleavings (MODEL_SEED=${seed})`, async () => {
  const database = await createModelDatabase();
  const startedAt = Date.now();
  try {
    const { done, counts, failure } = await runCampaign(database, {
      seed,
      sequences: SEQUENCES,
      perWorld: PER_WORLD,
      onWorld(count) {
        if ((count / PER_WORLD) % SHOWN_EVERY !== 0) return;
        const perSecond = Math.round((1_000 * count) / (Date.now() - startedAt));
        say(`${count} interleavings, ${perSecond} a second (MODEL_SEED=${seed})`);
      },
    });

    for (const [what, count] of [...counts].sort()) say(`${String(count).padStart(10)}  ${what}`);
    expect(failure?.text).toBeUndefined();
    expect(done).toBeGreaterThanOrEqual(SEQUENCES);
    expect(EXPECTED.filter((what) => !counts.get(what))).toEqual([]);
  } finally {
    await database.drop();
  }
});

/** The test runner hides the output of tests that pass, so this writes to the terminal itself. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
