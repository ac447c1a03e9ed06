import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holdLock, type Person, register, until, type World } from '../../harness/index.js';

const STATEMENT_LIMIT_MS = 300;

let world: World;
let person: Person;
beforeAll(async () => {
  world = await createWorld();
  const api = await world.api({ postgres: { statementTimeoutMs: STATEMENT_LIMIT_MS } });
  person = await register(api.call);
});
afterAll(() => world.end());

it('a bulk action is accepted although the search for its jobs takes longer than other statements may', async () => {
  const filter = { status: 'failed', type: 'noop' };
  const lock = await holdLock(world.db, (tx) => tx.$executeRaw`LOCK TABLE finished_jobs`);
  const started = person.post('/jobs/bulk', { action: 'delete', filter });
  let isAnswered = false;
  const answered = started.then(() => {
    isAnswered = true;
  });
  await until('the search to take long, or to fail', async () => {
    const rows = await world.db.$queryRaw<object[]>`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%bulk_parts%'
        AND clock_timestamp() - query_start > ${2 * STATEMENT_LIMIT_MS}::int * interval '1 ms'`;
    return rows.length > 0 || isAnswered;
  });
  await lock.release();
  await answered;

  expect((await started).status).toBe(202);
});
