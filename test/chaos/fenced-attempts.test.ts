import { randomUUID } from 'node:crypto';
import type { JobKey } from '@jobline/contracts';
import { failCanceledRuns, failOrphaned, recordResults } from '@jobline/db/job-transitions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type World } from '../harness/index.js';

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterAll(() => world.end());

/** Makes a job that was claimed by a worker that is no longer registered. */
async function orphan(more: object): Promise<{ key: JobKey; token: string }> {
  const id = await submitJob(person, 'any', {});
  const token = randomUUID();
  const held = { status: 'processing', attempt: 1, claimToken: token, workerId: randomUUID() } as const;
  const { key } = await world.db.job.update({
    where: { orgId_id: { orgId: person.orgId, id } },
    data: { ...held, ...more },
  });
  // The cast: the key was read from the table of jobs.
  return { key: key as JobKey, token };
}

it.each([
  ['failed after too many crashes', { crashCount: 4 }, () => failOrphaned(world.db, 10, 'too many crashes')],
  [
    'canceled',
    { cancelRequestedAt: new Date() },
    (run: { key: JobKey; token: string }) => failCanceledRuns(world.db, [run], 'its worker died', 'canceled'),
  ],
])('the attempt of a frozen worker is not recorded if its job was %s in the meantime', async (_how, row, end) => {
  const run = await orphan(row);
  const ended = await end(run);
  const { recorded } = await recordResults(world.hot, [
    {
      ...run,
      status: 'done',
      countsRetry: false,
      delayMs: 0,
      stage: 'enqueued',
      result: '1',
      errorCode: null,
      errorMessage: null,
      durationMs: 1,
      lines: [],
    },
  ]);

  expect(ended.map(({ key }) => key)).toEqual([run.key]);
  expect([...recorded]).toEqual([]);
});
