import type { JobKey, OrgId } from '@jobline/contracts';
import { type Db, ROLL_UP_STEPS, readRollUpClock, rollUpPage, withTimeLimit } from '@jobline/db';
import { deleteAllFinished, retryAllFailed } from '@jobline/db/job-transitions';
import { createRollUp, type LeasedTask } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase, until } from '../harness/index.js';
import { countTwice, WINDOWS } from './counts.js';

/** How long ago a history begins. Some jobs have finished long before. */
const HISTORY_MINUTES = 70;
const RUNS = Number(process.env.HISTORY_RUNS ?? 5);
/** Rounds of both workers between two checks whether all steps are counted. */
const ROUNDS = 50;
const LAG_MS = 60_000;
const TYPES = ['a', 'b', 'c'];

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  ({ db } = database);
});
afterAll(() => database.drop());

type Step =
  | { kind: 'finish' | 'finish late'; type: string; failed: boolean; count: number; secondsAgo: number }
  | { kind: 'delete' | 'delete late' | 'retry'; which: number; count: number }
  | { kind: 'commit' }
  | { kind: 'pass'; minutes: number }
  | { kind: 'round'; worker: number; count: number }
  | { kind: 'count at once' | 'stop' | 'compare' };

const finish = {
  type: fc.constantFrom(...TYPES),
  failed: fc.boolean(),
  count: fc.integer({ min: 1, max: 4 }),
  secondsAgo: fc.integer({ min: 0, max: 29 }),
};
const some = { which: fc.nat(200), count: fc.integer({ min: 1, max: 5 }) };
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('finish' as const), ...finish }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish late' as const), ...finish }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'retry' as const), ...some }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete late' as const), ...some }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('commit' as const) }) },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 40 }) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('round' as const),
        worker: fc.integer({ min: 0, max: 1 }),
        count: fc.integer({ min: 1, max: 30 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('count at once' as const, 'stop' as const),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('compare' as const) }) },
  ),
  { minLength: 5, maxLength: 40 },
);

it('statistics equal a plain count after each step of random histories', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const run = await begin();
      try {
        for (const step of history) await run.take(step);
        await run.complete();
      } finally {
        await run.end();
      }
    }),
    { numRuns: RUNS },
  );
});

/** A history of one organization, with a clock of its own, which has reached the present at its end. */
async function begin() {
  // The cast: ids are branded only in our code.
  const orgId = newId() as OrgId;
  await db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${orgId}::uuid, 'Acme')`;
  const [clock] = await db.$queryRaw<{ now: Date }[]>`SELECT now()`;
  const present = Number(clock?.now);
  let now = present - HISTORY_MINUTES * 60_000;
  await db.$executeRaw`DELETE FROM job_counts`;
  await db.$executeRaw`DELETE FROM job_count_corrections`;
  await db.$executeRaw`
    UPDATE job_count_progress SET after_org = NULL, counted_from = t.at, counted_until = t.at, counting_until = t.at
    FROM (SELECT date_bin('3 h', ${new Date(now).toISOString()}::timestamptz - interval '1 h', 'epoch') AS at) AS t`;
  const finished: JobKey[] = [];
  const late: { client: pg.Client; keys: JobKey[] }[] = [];
  const readClock = () => readRollUpClock(db, new Date(now - LAG_MS));
  const start = (): LeasedTask => createRollUp({ db, lease: { id: newHolder() } }, { readClock });
  const workers = [start(), start()];

  const insert = `
    WITH s AS (
      INSERT INTO submitted_jobs (key, org_id, id, type, payload, created_at)
      SELECT gen_random_uuid(), $1, gen_random_uuid(), $2, '{}', $5::timestamptz - interval '1 s' FROM generate_series(1, $4::int)
      RETURNING *)
    INSERT INTO finished_jobs (key, org_id, id, type, queue, status, run_at, created_at, finished_at)
    SELECT key, org_id, id, type, 'io', $3::job_status, created_at, created_at, $5 FROM s RETURNING key`;
  const valuesOf = (step: Extract<Step, { type: string }>) => [
    orgId,
    step.type,
    step.failed ? 'failed' : 'done',
    step.count,
    new Date(now - step.secondsAgo * 1_000).toISOString(),
  ];

  async function open(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('BEGIN');
    return client;
  }

  async function commit(): Promise<void> {
    const first = late.shift();
    if (!first) return;
    await first.client.query('COMMIT');
    await first.client.end();
    finished.push(...first.keys);
  }

  async function compare(): Promise<void> {
    for (const [window, options] of Object.entries(WINDOWS)) {
      for (const types of [null, ['a'], ['b', 'c']]) {
        const { counted, plain } = await countTwice(db, orgId, { ...options, types });
        expect(counted, `${window} ${types}`).toEqual(plain);
      }
    }
  }

  const pick = ({ which, count }: { which: number; count: number }) =>
    finished.splice(which % (finished.length + 1), count);

  return {
    async take(step: Step): Promise<void> {
      switch (step.kind) {
        case 'finish': {
          const rows = await db.$queryRawUnsafe<{ key: JobKey }[]>(insert, ...valuesOf(step));
          finished.push(...rows.map(({ key }) => key));
          return;
        }
        case 'finish late': {
          const client = await open();
          const { rows } = await client.query<{ key: JobKey }>(insert, valuesOf(step));
          late.push({ client, keys: rows.map(({ key }) => key) });
          return;
        }
        case 'delete':
          await deleteAllFinished(db, pick(step));
          return;
        case 'delete late': {
          const client = await open();
          await client.query('DELETE FROM finished_jobs WHERE key = ANY ($1::uuid[])', [pick(step)]);
          late.push({ client, keys: [] });
          return;
        }
        case 'retry':
          await retryAllFailed(db, pick(step), 'retried');
          return;
        case 'commit':
          return commit();
        case 'pass':
          now = Math.min(present, now + step.minutes * 60_000);
          return;
        case 'round':
          for (let n = 0; n < step.count; n++) await workers[step.worker]?.round();
          return;
        case 'stop':
          await workers[0]?.end();
          workers.splice(0, 1, start());
          return;
        case 'count at once':
          await Promise.all([...ROLL_UP_STEPS, ...ROLL_UP_STEPS].map((length) => countNow(length)));
          return;
        case 'compare':
          return compare();
      }
    },

    /** Lets the clock reach the present, and counts every step. */
    async complete(): Promise<void> {
      await compare();
      now = present;
      while (late.length > 0) await commit();
      const dueMs = present - LAG_MS;
      await until('all steps to be counted', async () => {
        for (let n = 0; n < ROUNDS; n++) await workers[n % 2]?.round();
        const rows = await db.jobCountProgress.findMany();
        return rows.every((row) => Number(row.countedUntil) + row.stepMinutes * 60_000 > dueMs);
      });
      await compare();
    },

    async end(): Promise<void> {
      while (late.length > 0) await commit();
      for (const worker of workers) await worker.end();
    },
  };

  /** Counts a step if all transactions have ended, like a worker without the lease. */
  async function countNow(step: (typeof ROLL_UP_STEPS)[number]): Promise<void> {
    const clock = await readClock();
    if (clock.oldest < clock.next || late.length > 0) return;
    await withTimeLimit(db, LAG_MS, (tx) => rollUpPage(tx, { step, until: clock.until, steps: 2, orgs: 1_000 }));
  }
}

function newHolder(): () => string {
  const id = newId();
  return () => id;
}
