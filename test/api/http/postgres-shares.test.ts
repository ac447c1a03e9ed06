import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  holdLock,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { createSchedule } from '../schedules/support.js';
import { expectError, newKey } from '../support.js';

let world: World;
let api: TestApi;
let attacker: Person;
let victim: Person;
let schedule: { id: string };

beforeAll(async () => {
  world = await createWorld();
  api = await world.alone.api();
  attacker = await register(api.call);
  victim = await register(api.call);
  schedule = await createSchedule(victim);
});
afterAll(() => world.end());

/** Runs `work` while another session holds the locks of a statement. */
async function whileLocked(statement: string, work: () => Promise<void>): Promise<void> {
  const lock = await holdLock(world.db, (tx) => tx.$executeRawUnsafe(statement));
  await work().finally(lock.release);
}

async function waitingForLocks(): Promise<number> {
  const [row] = await world.db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row.count;
}

const statusesOf = (answers: readonly Answered[]) => answers.map(({ status }) => status);

/** What another organization does meanwhile. */
async function useApi(): Promise<number[]> {
  const made = await victim.post('/jobs', { type: 'a', payload: {} });
  return statusesOf([
    made,
    await victim.get('/jobs?limit=20'),
    await victim.get(`/jobs/${made.body.id}`),
    await victim.get('/stats/jobs'),
    await victim.patch(`/schedules/${schedule.id}`, { every_seconds: 7200 }),
  ]);
}

const SERVED = [202, 200, 200, 200, 200];

describe('the requests of an organization', () => {
  it('are served while 64 reads of another one wait in Postgres', async () => {
    let reads: Promise<Answered>[] = [];
    await whileLocked('LOCK TABLE domains IN ACCESS EXCLUSIVE MODE', async () => {
      reads = Array.from({ length: 64 }, () => attacker.get('/org/domains'));
      await until('its share of them to wait', async () => (await waitingForLocks()) === 3);

      expect(await useApi()).toEqual(SERVED);
      expect(await waitingForLocks()).toBe(3);
    });

    expect(new Set(statusesOf(await Promise.all(reads)))).toEqual(new Set([200]));
  });

  it('are served while 100 changes of another one wait for its row', async () => {
    const keys: string[] = [];
    const schedules: string[] = [];
    for (let n = 0; n < 10; n++) {
      keys.push((await newKey(attacker, `key ${n}`, { scopes: ['schedules:write'] })).key);
      schedules.push((await createSchedule(attacker)).id);
    }
    const change = (n: number) =>
      api.call('PATCH', `/schedules/${schedules[n % 10]}`, {
        key: keys[n % 10] ?? '',
        body: { every_seconds: 3600 + n },
      });
    let changes: Promise<Answered>[] = [];
    await whileLocked(`SELECT FROM organizations WHERE id = '${attacker.orgId}' FOR UPDATE`, async () => {
      changes = Array.from({ length: 100 }, (_, n) => change(n));
      await until('one of them to wait', async () => (await waitingForLocks()) > 0);

      expect(await useApi()).toEqual(SERVED);
      expect(await waitingForLocks()).toBe(1);
      // Its reads do not wait for its changes.
      expect((await attacker.get('/jobs')).status).toBe(200);
    });

    const statuses = statusesOf(await Promise.all(changes));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(90);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});

it('a request that waits too long for the share of its organization is answered 503, and says why', async () => {
  const impatient = await world.alone.api({ postgres: { connectTimeoutMs: 2_000, statementTimeoutMs: 20_000 } });
  const read = () => impatient.call('GET', '/org/domains', { token: attacker.token });
  let reads: Promise<Answered>[] = [];
  await whileLocked('LOCK TABLE domains IN ACCESS EXCLUSIVE MODE', async () => {
    reads = Array.from({ length: 10 }, read);
    const answer = await Promise.race(reads);

    expectError(answer, 503, 'unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.body.error.message).toContain('Your organization has too many requests in progress');
  });

  const statuses = statusesOf(await Promise.all(reads));
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect((await read()).status).toBe(200);
});
