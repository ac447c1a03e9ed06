import type { OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { createRollUp, type LeasedTask } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, createWorld, type TestDatabase, until } from '../harness/index.js';
import { countTwice, WINDOWS } from './counts.js';

const JOBS = 3_000;
const LAG_MS = 60_000;

let database: TestDatabase;
let db: Db;
let orgId: OrgId;
let clients: pg.Client[];

beforeEach(async () => {
  database = await createTestDatabase();
  ({ db } = database);
  orgId = await newOrg();
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.drop();
});

async function newOrg(): Promise<OrgId> {
  // The cast: ids are branded only in our code.
  const id = newId() as OrgId;
  await db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${id}::uuid, 'Acme')`;
  return id;
}

/** Jobs that finished at equal distances between two times ago. */
const seed = (count: number, fromHoursAgo: number, untilHoursAgo = 0, org = orgId) =>
  db.$executeRaw`
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, finished_at)
    SELECT gen_random_uuid(), ${org}::uuid, gen_random_uuid(), 'type-' || n % 3, 'io', '{}',
      (CASE n % 7 WHEN 0 THEN 'failed' ELSE 'done' END)::job_status, at, at, at, at
    FROM generate_series(1, ${count}::int) AS n,
      LATERAL (SELECT now() - interval '1 h' * (${fromHoursAgo}::float8 + (${untilHoursAgo}::float8 - ${fromHoursAgo}::float8) * n / ${count}) AS at) AS t`;

/** The first step that is counted: fewer steps than the service counts. */
const beginAt = (hoursAgo: number) =>
  db.$executeRaw`
    UPDATE job_count_progress SET counted_from = t.at, counted_until = t.at
    FROM (SELECT date_bin('3 h', now() - ${hoursAgo} * interval '1 h', 'epoch') AS at) AS t`;

function newTask(): LeasedTask {
  const id = newId();
  return createRollUp({ db, lease: { id: () => id } });
}

async function progress(): Promise<{ untilMs: number; isComplete: boolean }> {
  const rows = await db.$queryRaw<{ until: Date; isComplete: boolean }[]>`
    SELECT counted_until AS until,
      counted_until + (step_minutes * 60000 + ${LAG_MS}) * interval '1 ms' > now() - interval '5 s' AS "isComplete"
    FROM job_count_progress ORDER BY step_minutes`;
  return { untilMs: Number(rows.at(-1)?.until), isComplete: rows.every(({ isComplete }) => isComplete) };
}

const countAll = (task: LeasedTask) =>
  until('all steps to be counted', async () => {
    for (let n = 0; n < 50; n++) await task.round();
    return (await progress()).isComplete;
  });

async function expectSame(org = orgId): Promise<void> {
  for (const [window, options] of Object.entries(WINDOWS)) {
    const { counted, plain } = await countTwice(db, org, options);
    expect(counted, window).toEqual(plain);
  }
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  clients.push(client);
  await client.connect();
  return client;
}

describe('the statistics of a filled database', () => {
  it('are the same before, during and after the steps are counted', async () => {
    await seed(JOBS, 9 * 24);
    await expectSame();
    const task = newTask();

    for (let n = 0; n < 100; n++) await task.round();
    await expectSame();
    await countAll(task);
    await expectSame();

    const [kept] = await db.$queryRaw<
      { n: number }[]
    >`SELECT sum(n)::int AS n FROM job_counts WHERE step_minutes = 180`;
    expect(kept?.n).toBeGreaterThan(0.7 * JOBS);
  });

  it('are read from the counts: a change by hand of a count is visible', async () => {
    await seed(JOBS, 7 * 24);
    await beginAt(30);
    await countAll(newTask());

    await db.$executeRaw`UPDATE job_counts SET n = n + 1`;

    const { counted, plain } = await countTwice(db, orgId, WINDOWS['7d']);
    expect(counted.byStatus.done).toBeGreaterThan((plain.byStatus.done ?? 0) + 20);
    const hour = await countTwice(db, orgId, WINDOWS['1h']);
    expect(hour.counted.byStatus.done).toBeGreaterThan(hour.plain.byStatus.done ?? 0);
  });

  it('follow deletions and retries in counted steps, and the corrections are added up', async () => {
    await seed(JOBS, 7 * 24);
    await beginAt(30);
    const task = newTask();
    await countAll(task);

    await db.$executeRaw`DELETE FROM finished_jobs WHERE type = 'type-1' AND status = 'done'`;
    await expectSame();
    const corrections = () => db.$queryRaw`SELECT FROM job_count_corrections WHERE at < now() - interval '4 h'`;
    expect(await corrections()).not.toEqual([]);
    await until('corrections to be applied', async () => {
      await task.round();
      // The cast: the statement returns rows.
      return ((await corrections()) as unknown[]).length === 0;
    });

    await expectSame();
  });

  it('need no corrections for jobs that are older than the counted steps', async () => {
    await seed(100, 30 * 24, 20 * 24);

    await db.$executeRaw`DELETE FROM finished_jobs`;

    expect(await db.$queryRaw`SELECT FROM job_count_corrections`).toEqual([]);
  });

  it('are complete for more organizations than one round counts', async () => {
    await db.$executeRaw`INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'Other' FROM generate_series(1, 2100)`;
    await beginAt(2);
    const others = [await newOrg(), await newOrg()];
    for (const org of [orgId, ...others]) await seed(200, 3, 0, org);

    await countAll(newTask());

    for (const org of [orgId, ...others]) await expectSame(org);
  });
});

describe('steps are counted', () => {
  it('only after the transactions that may have ended jobs in them', async () => {
    await seed(100, 24);
    await beginAt(3);
    const client = await connect();
    await client.query('BEGIN');
    const { rows } = await client.query(
      `INSERT INTO finished_jobs (key, org_id, id, type, queue, status, run_at, created_at, finished_at)
       SELECT gen_random_uuid(), $1, 'late', 'late', 'io', 'done', at, at, at FROM (SELECT now() - interval '2 h' AS at) AS t
       RETURNING key`,
      [orgId],
    );
    expect(rows).toHaveLength(1);
    const task = newTask();
    const { untilMs } = await progress();

    for (let n = 0; n < 20; n++) await task.round();
    expect((await progress()).untilMs).toBe(untilMs);
    await client.query('COMMIT');
    await countAll(task);

    await expectSame();
    const { counted } = await countTwice(db, orgId, WINDOWS['24h']);
    expect(counted.byType.late).toBe(1);
  });

  it('once, although two workers count at the same time', async () => {
    await seed(JOBS, 24);
    await beginAt(10);
    const tasks = [newTask(), newTask()];
    await db.$executeRaw`
      CREATE FUNCTION keep_no_lease() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM leases WHERE name = NEW.name;
        RETURN NULL;
      END $$`;
    await db.$executeRaw`CREATE TRIGGER keep_no_lease AFTER INSERT ON leases FOR EACH ROW EXECUTE FUNCTION keep_no_lease()`;

    await until('all steps to be counted', async () => {
      for (let n = 0; n < 20; n++) await Promise.all(tasks.map((task) => task.round()));
      return (await progress()).isComplete;
    });

    await expectSame();
  });

  it('again if the clock of the database was set back', async () => {
    await seed(JOBS, 24);
    await beginAt(10);
    const task = newTask();
    await countAll(task);
    const wrongly = () => db.$executeRaw`
      INSERT INTO job_counts (org_id, step_minutes, at, type, status, n)
      SELECT ${orgId}::uuid, step_minutes, counted_until + step_minutes * interval '1 min' * n, 'wrong', 'done', 1
      -- Not the steps that may become due while the test runs.
      FROM job_count_progress, generate_series(CASE step_minutes WHEN 1 THEN 20 ELSE 1 END, 40) AS n ON CONFLICT DO NOTHING`;
    const move = (hours: number) =>
      db.$executeRaw`UPDATE job_count_progress SET counted_until = counted_until + ${hours} * interval '1 h'`;

    await wrongly();
    await move(3);
    await expectSame();
    await countAll(task);
    await until('the progress to be set back', async () => {
      await task.round();
      return (await progress()).untilMs <= Date.now();
    });
    await expectSame();

    await move(-6);
    await wrongly();
    await countAll(task);
    await expectSame();
  });
});

it('a worker counts the steps', async () => {
  const world = await createWorld();
  try {
    const since = await world.db.jobCountProgress.findMany({ orderBy: { stepMinutes: 'asc' } });
    await world.worker();

    await until('each length to have more counted steps', async () => {
      const now = await world.db.jobCountProgress.findMany({ orderBy: { stepMinutes: 'asc' } });
      return now.every(({ countedUntil }, n) => countedUntil > (since[n]?.countedUntil ?? countedUntil));
    });
  } finally {
    await world.end();
  }
});
