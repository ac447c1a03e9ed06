import { randomUUID } from 'node:crypto';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  type ServiceProxy,
  startProxy,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;
let proxy: ServiceProxy;
/** The jobs whose handlers were started, in order. */
let started: string[];

const catalogue = createCatalogue([
  defineHandler({
    type: 'obedient',
    async run(_payload, { idempotencyKey, signal }) {
      started.push(idempotencyKey);
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  }),
]);

beforeEach(async () => {
  started = [];
  world = await createWorld();
  proxy = await startProxy(world.databaseUrl);
  person = await register((await world.api()).call);
});
afterEach(async () => {
  await world.end();
  await proxy.close();
});

const cancel = (id: string) => person.post(`/jobs/${id}/cancel`);
const keyOf = async (id: string) => (await world.db.job.findFirstOrThrow({ where: { id } })).key;

async function expectCanceled(id: string): Promise<void> {
  const { job, result } = await finishedJob(person, id);
  expect(job.status).toBe('failed');
  expect(result.error.code).toBe('canceled');
}

describe('no worker takes over a job that was canceled or has expired', () => {
  it('a canceled job of a worker that shuts down is not taken over', async () => {
    const first = await world.worker({ catalogue, leaseMs: 60_000 });
    const id = await submitJob(person, 'obedient', {}, { max_retries: 3 });
    await until('the job to run', () => started.length === 1);
    await world.worker({ catalogue, leaseMs: 60_000 });

    // As if no message about the cancellation had reached the worker.
    await world.db.job.update({ where: { key: await keyOf(id) }, data: { cancelRequestedAt: new Date() } });
    await first.stop(50);

    await expectCanceled(id);
    expect(started).toHaveLength(1);
  });

  it('a canceled job of a dead worker is not taken over', async () => {
    const id = await submitJob(person, 'obedient', {}, { max_retries: 3 });
    await world.db.job.update({
      where: { key: await keyOf(id) },
      data: { status: 'processing', attempt: 1, workerId: randomUUID(), claimToken: randomUUID() },
    });
    await cancel(id);

    await world.worker({ catalogue, leaseMs: 500 });

    await expectCanceled(id);
    expect(linesOf(await finishedJob(person, id))).toEqual(['1 error attempt 1 canceled: its worker died']);
    expect(started).toEqual([]);
  });

  it('a job of a dead worker that has expired is not taken over', async () => {
    const id = await submitJob(person, 'obedient', {}, { max_retries: 3 });
    await world.db.job.update({
      where: { key: await keyOf(id) },
      data: {
        status: 'processing',
        attempt: 1,
        workerId: randomUUID(),
        claimToken: randomUUID(),
        expiresAt: new Date(),
      },
    });

    await world.worker({ catalogue, leaseMs: 500 });

    const { job, result } = await finishedJob(person, id);
    expect([job.status, result.error.code]).toEqual(['failed', 'expired']);
    expect(started).toEqual([]);
  });

  it('a canceled job of a worker that never got the answer to its claim is not taken over', async () => {
    const worker = await world.worker({ catalogue, databaseUrl: proxy.url, leaseMs: 10_000 });
    const ended: unknown[] = [];
    worker.events.on('job.failed', ({ type, errorCode }) => ended.push([type, errorCode]));

    const lost = proxy.loseAnswerTo("SET status = 'processing'");
    const id = await submitJob(person, 'obedient', {}, { max_retries: 3 });
    await lost;
    await cancel(id);

    await expectCanceled(id);
    // The worker reports it when it has the answer of Postgres.
    await until('the worker to report it', () => ended.length > 0);
    expect(ended).toEqual([['obedient', 'canceled']]);
    expect(started).toEqual([]);
  });
});
