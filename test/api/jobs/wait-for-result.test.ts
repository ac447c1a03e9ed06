import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, until, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
/** More than the reads that an organization may have in progress. */
const MANY = 150;

it('requests for a result wait for the end of the job without slots of reads or connections of Postgres', async () => {
  const ids = await Promise.all([submitJob(person, 'a', {}, later), submitJob(person, 'a', {}, later)]);
  const [first, second] = ids;
  let answered = 0;
  const waiting = Array.from({ length: MANY }, async (_, n) => {
    const answer = await person.get(`/jobs/${ids[n % 2]}/result?wait=30`);
    answered++;
    return answer;
  });
  await until('all requests to wait', async () => (await connectionsInUse()) === 0);
  expect((await person.get(`/jobs/${first}`)).status).toBe(200);
  expect(answered).toBe(0);

  await person.post(`/jobs/${first}/cancel`);
  await until('half of the answers', () => answered === MANY / 2);
  await person.post(`/jobs/${second}/cancel`);
  for (const { status, body } of await Promise.all(waiting)) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'canceled' } });
  }
});

it('a request for a result answers after its time, and at once if the job has ended', async () => {
  const id = await submitJob(person, 'a', {}, later);
  expect((await person.get(`/jobs/${id}/result?wait=1`)).body).toMatchObject({ status: 'pending', result: null });
  await person.post(`/jobs/${id}/cancel`);
  expect((await person.get(`/jobs/${id}/result?wait=30`)).body).toMatchObject({ status: 'failed' });
  expectError(await person.get('/jobs/missing/result?wait=30'), 404, 'not_found');
  for (const wait of ['0', '31', '1.5', 'x', ''])
    expectError(await person.get(`/jobs/${id}/result?wait=${wait}`), 400, 'validation_failed');
});

it('a request for the result of a job that is deleted meanwhile gets a 404', async () => {
  const id = await submitJob(person, 'a', {}, later);
  const waiting = person.get(`/jobs/${id}/result?wait=30`);
  await world.db.$executeRaw`
    WITH live AS (DELETE FROM live_jobs WHERE id = ${id}) DELETE FROM submitted_jobs WHERE id = ${id}`;

  expectError(await waiting, 404, 'not_found');
});

async function connectionsInUse(): Promise<number> {
  const [row] = await world.db.$queryRaw<{ n: number }[]>`
    SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid() AND query LIKE '%duration_ms%'`;
  return row?.n ?? 0;
}
