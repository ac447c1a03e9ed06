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

/** A job that was claimed by a worker that is registered no more. */
async function orphan(more: object): Promise<{ key: JobKey; token: string }> {
  const id = await submitJob(person, 'any', {});
  const token = randomUUID();
  const held = { status: 'processing', attempt: 1, claimToken: token, workerId: randomUUID() } as const;
  const { key } = await world.db.job.update({
    where: { orgId_id: { orgId: person.orgId, id } },
    data: { ...held, ...more },
  });
  // The cast: it was read from the table of jobs.
  return { key: key as JobKey, token };
}

it.each([
  ['lost too often', { losses: 4 }, () => failOrphaned(world.db, 10, 'too many crashes')],
  [
    'canceled',
    { cancelRequestedAt: new Date() },
    (run: { key: JobKey; token: string }) => failCanceledRuns(world.db, [run], 'its worker is gone', 'canceled'),
  ],
])('a frozen worker that comes back to a job that was %s finds its attempt not on record', async (_how, row, end) => {
  const run = await orphan(row);
  const ended = await end(run);
  const recorded = await recordResults(world.hot, [
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
