import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { type ClientWorld, createClientWorld } from '../client/client-world.js';

/** A shorter form: JOBS=20000. */
const JOBS = Number(process.env.JOBS ?? 100_000);
/** 100,000 ids have 10 MiB. The jobs would have ten times as much. */
const MAX_GROWTH_BYTES = 24 * 1024 ** 2;

/** Submits from a process of its own, whose heap has nothing else. */
const PROGRAM = `
  import { Jobline } from '@jobline/client';

  async function* jobs() {
    const text = 'x'.repeat(1_000);
    for (let n = 0; n < ${JOBS}; n++) yield { type: 'unknown', payload: { n, text: text + n }, tags: ['long'] };
  }
  const heaps = [];
  const client = new Jobline({ url: process.env.JOBLINE_URL, key: process.env.JOBLINE_API_KEY });
  const ids = await client.jobs.submitMany(jobs(), {
    onProgress() {
      gc();
      heaps.push(process.memoryUsage().heapUsed);
    },
  });
  const chosen = [0, 1_234, ${JOBS} - 1].map((n) => [n, ids[n]]);
  console.log(JSON.stringify({ heaps, unique: new Set(ids).size, chosen }));
`;

let at: ClientWorld;

beforeAll(async () => {
  at = await createClientWorld();
});
afterAll(() => at.end());

it('a long list is submitted once and in order, with the memory of a short one', async () => {
  const env = { JOBLINE_URL: at.proxy.url, JOBLINE_API_KEY: at.key };
  const args = ['--expose-gc', '--input-type=module', '-e', PROGRAM];
  const running = promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  await at.proxy.loseAnswerTo('POST /jobs/batch');
  await at.proxy.loseAnswerTo('POST /jobs/batch');
  const { heaps, unique, chosen } = JSON.parse((await running).stdout);

  expect(unique).toBe(JOBS);
  const [row] = await at.world.db.$queryRaw<{ count: bigint }[]>`SELECT count(*) FROM submitted_jobs`;
  expect(Number(row?.count)).toBe(JOBS);
  for (const [n, id] of chosen) expect((await at.client.jobs.get(id)).payload).toMatchObject({ n });
  expect(Math.max(...heaps) - Math.min(...heaps)).toBeLessThan(MAX_GROWTH_BYTES);
});
