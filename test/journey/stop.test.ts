import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listSlots } from '@jobline/db';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  HANG_MS,
  linesOf,
  type Person,
  register,
  spawnWorker,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;
let running: string[];

/** Runs until its signal fires on the worker that stops; ends at once on every other worker. */
function patient(name: string, isSlow: boolean) {
  return createCatalogue([
    defineHandler({
      type: 'patient',
      async run(_payload, { signal, idempotencyKey }) {
        running.push(`${name} ${idempotencyKey}`);
        if (isSlow) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        return name;
      },
    }),
  ]);
}

beforeEach(async () => {
  running = [];
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

it('a worker that stops releases unfinished jobs after its grace period, and another worker runs them with nothing counted', async () => {
  const first = await world.worker({ catalogue: patient('first', true), leaseMs: 60_000 });
  const ids = await Promise.all(Array.from({ length: 20 }, () => submitJob(person, 'patient', {}, { max_retries: 1 })));
  await until('all to run', () => running.length === 20);
  await world.worker({ catalogue: patient('second', false), leaseMs: 60_000 });

  await first.stop(100);

  for (const id of ids) {
    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect(story.result.result).toBe('second');
    expect(linesOf(story)).toEqual([
      '1 info attempt 1 started',
      '1 info attempt 1 released: the worker is shutting down',
      '2 info attempt 2 started',
      expect.stringMatching(/^2 info attempt 2 succeeded/),
    ]);
  }
});

it('the last log lines of a released attempt are stored before its end', async () => {
  const stopping = defineHandler({
    type: 'patient',
    async run(_payload, { signal, idempotencyKey, log }) {
      running.push(idempotencyKey);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      for (const message of ['saving', 'saved']) log('info', message);
      throw signal.reason;
    },
  });
  const worker = await world.worker({ catalogue: createCatalogue([stopping]) });
  const ids = await Promise.all(Array.from({ length: 20 }, () => submitJob(person, 'patient', {})));
  await until('all to run', () => running.length === 20);

  await worker.stop(0);

  for (const id of ids) {
    const logs: { message: string }[] = (await person.get(`/jobs/${id}/logs`)).body;
    expect(logs.map(({ message }) => message)).toEqual([
      'attempt 1 started',
      'saving',
      'saved',
      'attempt 1 released: the worker is shutting down',
    ]);
  }
});

it('a worker that stops finishes the jobs that end within its grace period, and claims no more', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const catalogue = createCatalogue([
    defineHandler({
      type: 'held',
      async run(_payload, { idempotencyKey }) {
        running.push(idempotencyKey);
        await held;
      },
    }),
  ]);
  const worker = await world.worker({ catalogue });
  const id = await submitJob(person, 'held', {});
  await until('the job to run', () => running.length === 1);

  const stopped = worker.stop(10_000);
  const later = await submitJob(person, 'held', {});
  release();
  await stopped;

  expect((await finishedJob(person, id)).job.status).toBe('done');
  expect((await person.get(`/jobs/${later}`)).body.status).toBe('pending');
  expect(await world.db.worker.count()).toBe(0);
});

it('a worker that stops during long maintenance still releases its jobs, and stops', async () => {
  const first = await world.worker({ catalogue: patient('first', true), leaseMs: 3_600_000, maintenanceMs: 100 });
  const id = await submitJob(person, 'patient', {});
  await until('the job to run', () => running.length === 1);

  await world.db.$transaction(
    async (tx) => {
      // Not stronger: the count of stored bytes also reads the table, and would open a connection after the worker has closed its own.
      await tx.$executeRaw`LOCK TABLE payments IN EXCLUSIVE MODE`;
      await until(
        'the maintenance to wait',
        async () =>
          (
            await tx.$queryRaw<object[]>`
        SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'payments'::regclass`
          ).length > 0,
      );
      // If the worker waited for the step, this would take as long as the transaction: Postgres ends a step after a
      // lease.
      await first.stop(100);
      expect((await person.get(`/jobs/${id}`)).body.status).toBe('pending');
      expect(await world.db.worker.count()).toBe(0);
    },
    { timeout: HANG_MS },
  );
});

describe('a worker that drains', () => {
  let finish: () => void;

  /** Runs until the test lets it end, or until its signal fires. */
  function slow() {
    const released = new Promise<void>((resolve) => {
      finish = resolve;
    });
    return createCatalogue([
      defineHandler({
        type: 'slow',
        async run(_payload, { signal, idempotencyKey }) {
          running.push(idempotencyKey);
          await Promise.race([
            released,
            new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
          ]);
        },
      }),
    ]);
  }
  const waitingFor = async (id: string) => (await person.get(`/jobs/${id}`)).body.waiting_for;

  it('counts as none: its types stay known, but no job waits for its slots', async () => {
    const worker = await world.alone.worker({ catalogue: slow() });
    const id = await submitJob(person, 'slow', {});
    await until('the job to run', () => running.length === 1);

    const stopped = worker.stop(3_600_000);
    await until('the worker to be marked', () => world.db.worker.count({ where: { draining: true } }));
    const later = await submitJob(person, 'slow', {});

    expect(await waitingFor(later)).toBe('worker');
    const types = (await person.get('/job-types')).body;
    expect(types).toContainEqual(expect.objectContaining({ type: 'slow', workers: 0 }));
    expect(await listSlots(world.db)).toEqual(new Map());
    finish();
    await stopped;
    expect((await finishedJob(person, id)).job).toMatchObject({ status: 'done', retries: 0 });
    expect((await person.get(`/jobs/${later}`)).body).toMatchObject({ status: 'pending', retries: 0 });
  });

  it('still stops a job that is canceled', async () => {
    const worker = await world.alone.worker({ catalogue: slow() });
    const id = await submitJob(person, 'slow', {});
    await until('the job to run', () => running.length === 1);

    const stopped = worker.stop(3_600_000);
    await until('the worker to be marked', () => world.db.worker.count({ where: { draining: true } }));
    await person.post(`/jobs/${id}/cancel`, {});
    await stopped;

    expect((await person.get(`/jobs/${id}`)).body.status).toBe('failed');
  });
});

it.each(['SIGTERM', 'SIGINT'] as const)(
  'a second %s releases the running attempts with nothing counted, and the worker ends without an error',
  async (signal) => {
    const dir = await mkdtemp(join(tmpdir(), 'jobline-test-'));
    await writeFile(
      join(dir, 'endless.mjs'),
      `export const type = 'endless';
       export const run = (payload, { signal }) =>
         new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));`,
    );
    const place = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl, QUEUE_PREFIX: world.prefix };
    const worker = await spawnWorker({ ...place, HANDLERS_DIR: dir, WORKER_DRAIN: '24h', LOG_LEVEL: 'info' });
    try {
      await until('the worker to register', () => world.db.worker.count());
      const id = await submitJob(person, 'endless', {}, { max_retries: 1 });
      await until('the job to run', async () => (await person.get(`/jobs/${id}`)).body.status === 'processing');

      process.kill(worker.pid, signal);
      await until('the drain to begin', () => world.db.worker.count({ where: { draining: true } }));
      expect(worker.hasEnded()).toBe(false);
      process.kill(worker.pid, signal);
      await worker.ended;

      expect((await person.get(`/jobs/${id}`)).body).toMatchObject({ status: 'pending', retries: 0 });
      const lines: { message: string }[] = (await person.get(`/jobs/${id}/logs`)).body;
      expect(lines.map(({ message }) => message)).toEqual([
        'attempt 1 started',
        'attempt 1 released: the worker is shutting down',
      ]);
      expect(await world.db.worker.count()).toBe(0);
      expect(worker.exitCode()).toBe(0);
    } finally {
      await worker.kill('SIGKILL');
      await rm(dir, { recursive: true });
    }
  },
);
