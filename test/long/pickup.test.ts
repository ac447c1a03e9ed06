import type { OrgId } from '@jobline/contracts';
import {
  createEnqueue,
  createEvents,
  createProducer,
  createPublishedTypes,
  createRoutes,
  createSubmissions,
  createWindow,
  type Producer,
  type Submissions,
} from '@jobline/engine';
import { createCatalogue, defineHandler, QUEUES } from '@jobline/handlers';
import { newId, pause } from '@jobline/runtime';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, until, type World } from '../harness/index.js';

const PROBES = 400;
const PROBE_EVERY_MS = 50;
const DUE_AT_ONCE = 100_000;
const PASSED = 200_000;
/** The number of concurrent submitters. */
const SUBMITTERS = 128;

let world: World;
let producer: Producer;
let submissions: Submissions;
let flooding: OrgId;
let other: OrgId;
let isStopped: boolean;
/** The load in the background, while the pickup of the others is measured. */
let loading: Promise<void> | undefined;

const catalogue = createCatalogue([
  defineHandler<{ ms: number; fails?: boolean }>({
    type: 'light',
    async run({ ms, fails }) {
      for (let left = ms; left > 0 && !isStopped; left -= 100) await pause(Math.min(100, left));
      if (fails) throw new Error('no answer');
    },
  }),
]);

beforeEach(async () => {
  isStopped = false;
  world = await createWorld();
  const { redisUrl, prefix, db, hot } = world;
  const events = createEvents();
  producer = createProducer({ redisUrl, prefix, events });
  submissions = createSubmissions({
    db,
    hot,
    routes: createRoutes({ catalogue, published: createPublishedTypes({ db, events, leaseMs: 15_000 }) }),
    producer,
    window: createWindow(QUEUES, producer),
    events,
    enqueue: createEnqueue({ producer, events }),
  });
  // The casts: organizations that no request uses need no row.
  [flooding, other] = [newId() as OrgId, newId() as OrgId];
  await world.worker({ catalogue, concurrency: 200, queues: ['io'], retryBaseMs: 1_000 });
});
afterEach(async () => {
  isStopped = true;
  await loading;
  loading = undefined;
  await producer.close();
  await world.end();
});

function add(orgId: OrgId, payload: { ms: number; fails?: boolean }, more: { maxRetries?: number; runAt?: Date } = {}) {
  return submissions.submit(
    orgId,
    { type: 'light', payload, maxRetries: 0, priority: 0, runAt: null, ...more },
    { key: null },
  );
}

async function addMany(count: number, addOne: () => Promise<unknown>): Promise<void> {
  let left = count;
  const submitter = async () => {
    while (left-- > 0) await addOne();
  };
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
}

/** Submits jobs at intervals. Returns the 50th and 99th percentile of the time until they were picked up, in ms. */
async function probe(): Promise<{ p50: number; p99: number }> {
  const ids: string[] = [];
  for (let n = 0; n < PROBES; n++) {
    ids.push((await add(other, { ms: 5 })).id);
    await pause(PROBE_EVERY_MS);
  }
  const started = { orgId: other, id: { in: ids }, startedAt: { not: null } };
  await until('all to be started', async () => (await world.db.job.count({ where: started })) === PROBES);
  const jobs = await world.db.job.findMany({ where: started });
  const tookMs = jobs.map((job) => Number(job.startedAt) - Number(job.createdAt)).sort((a, b) => a - b);
  return { p50: tookMs[Math.floor(PROBES * 0.5)] ?? 0, p99: tookMs[Math.floor(PROBES * 0.99)] ?? 0 };
}

function addPerSecond(perS: number, payload: { ms: number; fails?: boolean }, maxRetries = 0): void {
  const goOn = async () => {
    while (!isStopped) await Promise.all([add(flooding, payload, { maxRetries }), pause(1_000 / perS)]);
  };
  loading = goOn();
}

const loads: [string, () => Promise<unknown>, number][] = [
  ['18 jobs a second of 15 s each', async () => addPerSecond(18, { ms: 15_000 }), 500],
  [
    'a dead receiver: 14 jobs a second that fail after 15 s',
    async () => addPerSecond(14, { ms: 15_000, fails: true }, 5),
    500,
  ],
  [
    '100,000 jobs due at one moment',
    async () => {
      const runAt = new Date(Date.now() + 3_600_000);
      await addMany(DUE_AT_ONCE, () => add(flooding, { ms: 5 }, { runAt }));
      await world.db.$executeRaw`UPDATE jobs SET run_at = now() + interval '1 s' WHERE place = 'scheduled'`;
    },
    500,
  ],
  [
    '10,000 jobs that fail immediately and are retried',
    () => addMany(10_000, () => add(flooding, { ms: 0, fails: true }, { maxRetries: 5 })),
    500,
  ],
];

it.each(loads)(
  '%s of one organization do not delay the pickup of another',
  async (name, begin, worstMs) => {
    const quiet = await probe();
    await begin();
    const loaded = await probe();

    console.log(JSON.stringify({ name, quiet, loaded }));
    expect(loaded.p99).toBeLessThan(quiet.p99 + worstMs);
  },
  600_000,
);

/** Measures, in ms, how long the submissions take, and how long until all of the jobs have run. */
async function passMany(count: number): Promise<{ submitMs: number; drainMs: number }> {
  const startedAt = performance.now();
  await addMany(count, () => add(flooding, { ms: 0 }));
  const submittedAt = performance.now();
  const open = { status: { in: ['pending' as const, 'processing' as const] } };
  await until('all to be done', async () => (await world.db.job.count({ where: open })) === 0);
  return { submitMs: submittedAt - startedAt, drainMs: performance.now() - startedAt };
}

it('a transaction that stays open while 200,000 jobs run slows submission and dispatch by less than half', async () => {
  await passMany(5_000);
  const before = await passMany(20_000);
  const reader = new pg.Client({ connectionString: world.databaseUrl });
  await reader.connect();
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM workers');
  await passMany(PASSED);
  const after = await passMany(20_000);
  await reader.query('ROLLBACK');
  await reader.end();

  console.log(JSON.stringify({ before, after }));
  expect(after.submitMs).toBeLessThan(before.submitMs * 1.5);
  expect(after.drainMs).toBeLessThan(before.drainMs * 1.5);
}, 900_000);
