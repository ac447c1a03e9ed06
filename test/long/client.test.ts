import { Jobline } from '@jobline/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientWorld, createClientWorld } from '../client/client-world.js';

/** A shorter form: JOBS=20000. */
const JOBS = Number(process.env.JOBS ?? 100_000);
/** Two measurements of a heap differ by this much, whatever was done in between. */
const NOISE_BYTES = 24 * 1024 ** 2;

let at: ClientWorld;

beforeAll(async () => {
  at = await createClientWorld();
});
afterAll(() => at.end());

it('a long list is submitted once and in order, with the memory of a short one', async () => {
  const heaps: number[] = [];
  let submitted = 0;
  async function* jobs() {
    for (let n = 0; n < JOBS; n++) yield { type: 'unknown', payload: { n, text: 'x'.repeat(200) }, tags: ['long'] };
  }
  const client = new Jobline({ url: at.proxy.url, key: at.key });
  const submitting = client.jobs.submitMany(jobs(), {
    onProgress(now) {
      submitted = now.submitted;
      if (submitted % (JOBS / 10) !== 0) return;
      globalThis.gc?.();
      heaps.push(process.memoryUsage().heapUsed);
    },
  });
  await at.proxy.loseAnswerTo('POST /jobs/batch');
  await at.proxy.loseAnswerTo('POST /jobs/batch');
  const ids = await submitting;

  expect([new Set(ids).size, submitted]).toEqual([JOBS, JOBS]);
  const [row] = await at.world.db.$queryRaw<{ count: bigint }[]>`SELECT count(*) FROM submitted_jobs`;
  expect(Number(row?.count)).toBe(JOBS);
  for (const n of [0, 1_234, JOBS - 1]) expect((await client.jobs.get(ids[n] ?? '')).payload).toMatchObject({ n });
  expect(Math.max(...heaps) - Math.min(...heaps)).toBeLessThan(NOISE_BYTES);
});
