import { randomBytes, randomUUID } from 'node:crypto';
import { countStoredBytes } from '@jobline/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, createWorld, register, type TestApi, until, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let open: TestApi;
let narrow: TestApi;

const KIB = 1_024;
const LARGE = { type: 'x', payload: { random: randomBytes(80 * KIB).toString('base64') } };
const SMS = { to: '+254711000111', message: 'hi' };

beforeAll(async () => {
  world = await createWorld();
  open = await world.api();
  narrow = await world.api({ limits: { maxStoredBytes: 64 * KIB } });
});
afterAll(() => world.end());

function expectFull(answer: Answered): void {
  expectError(answer, 429, 'rate_limited');
  expect(answer.headers.get('ratelimit-limit')).toBe(String(64 * KIB));
  expect(answer.headers.get('retry-after')).toBe('60');
  expect(answer.body.error.message).toContain(String(64 * KIB));
}

async function storedBytes(orgId: string): Promise<number> {
  const org = await world.db.organization.findUnique({ where: { id: orgId } });
  return Number(org?.storedBytes);
}

it('an organization beyond its storage quota cannot submit, rerun or send, and can still read and delete everything', async () => {
  const person = await register(open.call);
  const at = (path: string, body: object) => narrow.call('POST', path, { token: person.token, body });
  await person.post('/jobs', LARGE);
  await countStoredBytes(world.db, 1_000);

  for (const [path, body] of [
    ['/jobs', LARGE],
    ['/jobs/batch', { jobs: [LARGE] }],
    ['/sms/send', SMS],
  ] as const) {
    expectFull(await at(path, body));
  }
  const bulk = (action: string) => at('/jobs/bulk', { action, filter: { status: 'done' } });
  for (const action of ['rerun', 'retry']) expectFull(await bulk(action));
  const { id: hook } = (await person.post('/org/webhooks', { url: 'https://example.com/', events: ['*'] })).body;
  for (const [path, body] of [
    ['/jobs/any/retry', {}],
    ['/org/templates', { name: 'a', kind: 'sms', body: 'text' }],
    ['/schedules', { name: 'a', cron: '@daily', type: 'x', payload: {} }],
    [`/org/webhooks/${hook}/test`, {}],
    [`/org/webhooks/${hook}/recover`, { since: new Date().toISOString() }],
    [`/org/webhooks/${hook}/deliveries/${hook}/redeliver`, {}],
  ] as const) {
    expectFull(await at(path, body));
  }
  expectFull(await at('/jobs/bulk', { action: 'delete', filter: { ids: ['any'] } }));
  for (const action of ['cancel', 'delete']) expect((await bulk(action)).status).toBe(202);
  expect((await narrow.call('GET', '/jobs', { token: person.token })).body).toHaveLength(1);
  expect((await (await register(narrow.call)).post('/jobs', LARGE)).status).toBe(202);
});

it('the schedules of an organization beyond its storage quota make no jobs, and its jobs save no artifacts', async () => {
  const own = await createWorld();
  try {
    const api = await own.api({ limits: { maxStoredBytes: 64 * KIB } });
    const person = await register(api.call);
    const { body: schedule } = await person.post('/schedules', {
      name: 'often',
      every_seconds: 5,
      type: 'planned',
      payload: {},
    });
    const pdf = { type: 'generate_pdf', payload: { template: '<p>hello</p>', data: {} } };
    const { body: job } = await person.post('/jobs', pdf);
    await person.post('/jobs', LARGE);
    await countStoredBytes(own.db, 1_000);
    const get = async (path: string) => (await person.get(path)).body;
    await own.worker({ maxStoredBytes: 64 * KIB });

    await until('planned times to be skipped', async () => (await get(`/schedules/${schedule.id}`)).skipped > 0);
    expect(await get('/jobs?type=planned')).toEqual([]);
    await until('the job to fail', async () => (await get(`/jobs/${job.id}`)).status === 'failed');
    expect((await get(`/jobs/${job.id}/logs`)).map(({ message }: { message: string }) => message).join()).toContain(
      `the limit is ${64 * KIB}`,
    );
  } finally {
    await own.end();
  }
});

it.each(['rerun', 'retry'])('a bulk %s waits while its organization stores too many bytes', async (kind) => {
  const own = await createWorld();
  try {
    const api = await own.api({ limits: { maxStoredBytes: 64 * KIB } });
    const person = await register(api.call);
    const ids = await Promise.all(
      [1, 2, 3, 4].map(async () => (await person.post('/jobs', { type: 'x', payload: {} })).body.id),
    );
    for (const id of ids) await person.post(`/jobs/${id}/cancel`);
    const setStored = (storedBytes: number) =>
      own.db.organization.update({ where: { id: person.orgId }, data: { storedBytes } });
    const action = { action: kind, filter: { ids }, per_second: 1 };
    const { body: bulk } = await person.post('/jobs/bulk', action);
    const doneOf = async () => (await person.get(`/jobs/bulk/${bulk.id}`)).body.done;
    await until('the first job to run again', async () => (await doneOf()) > 0);

    await setStored(64 * KIB + 1);
    const nextAt = async () => (await own.db.bulkAction.findUniqueOrThrow({ where: { id: bulk.id } })).nextAt;
    const steps = new Set<string>();
    await until('four more steps', async () => steps.add(String((await nextAt())?.getTime())).size > 4);
    expect(await doneOf()).toBeLessThan(4);

    await setStored(0);
    await until('all jobs to run again', async () => (await doneOf()) === 4);
  } finally {
    await own.end();
  }
});

it('workers count the stored bytes, and count less once jobs are deleted', async () => {
  const [much, little] = [await register(open.call), await register(open.call)];
  await much.post('/jobs', LARGE);
  await world.worker();

  await until('organizations to be counted', async () => (await storedBytes(much.orgId)) > 80 * KIB);
  const audited = await storedBytes(little.orgId);
  expect(audited).toBeLessThan(2 * KIB); // the entry of its registration

  await world.db.$executeRaw`DELETE FROM jobs WHERE org_id = ${much.orgId}::uuid`;
  await world.db.$executeRaw`DELETE FROM job_logs WHERE org_id = ${much.orgId}::uuid`;
  // They stay when jobs are deleted.
  await world.db.$executeRaw`DELETE FROM failed_attempts WHERE org_id = ${much.orgId}::uuid`;
  await countStoredBytes(world.db, 1_000);
  expect(await storedBytes(much.orgId)).toBeLessThanOrEqual(audited * 1.01);
});

describe('the stored bytes of an organization contain', () => {
  const ROWS = 100;
  /** What one row adds at least, and the statement that adds `ROWS` rows. */
  const ADDED: Record<string, [bytes: number, add: (orgId: string) => Promise<unknown>]> = {
    events: [
      1_000,
      (orgId) => world.db.$executeRaw`
        INSERT INTO webhook_events (org_id, type, data, is_planned, created_at)
        SELECT ${orgId}::uuid, 'test.ping', json_build_object('random', encode(${randomBytes(600)}, 'hex')), true, now()
        FROM generate_series(1, ${ROWS}::int)`,
    ],
    'deliveries and their attempts': [
      1_000,
      (orgId) => world.db.$executeRaw`
        WITH event AS (
          INSERT INTO webhook_events (org_id, type, data, is_planned, created_at)
          VALUES (${orgId}::uuid, 'test.ping', '{}', true, now()) RETURNING id),
        delivery AS (
          INSERT INTO webhook_deliveries (id, org_id, event_id, callback_url, job_key, status, attempts_left, created_at)
          SELECT gen_random_uuid(), ${orgId}::uuid, event.id, 'https://example.com', gen_random_uuid(), 'failed', 0, now()
          FROM event, generate_series(1, ${ROWS}::int) RETURNING id)
        INSERT INTO webhook_tries (delivery_id, n, at, answer, ms)
        SELECT id, 1, now(), encode(${randomBytes(500)}, 'hex'), 1 FROM delivery`,
    ],
    'jobs of deliveries': [
      1_000,
      async (orgId) => {
        const id = randomUUID();
        await world.db.organization.create({ data: { id, name: 'deliveries', deliversFor: orgId } });
        await world.db.$executeRaw`
          INSERT INTO submitted_jobs (key, org_id, id, type, payload, content_hash, max_retries, created_at)
          SELECT gen_random_uuid(), ${id}::uuid, n::text, 'deliver', '{}', '\\x00', 0, now() FROM generate_series(1, ${ROWS}::int) AS n`;
        return id;
      },
    ],
    'idempotency keys': [
      500,
      (orgId) => world.db.$executeRaw`
        INSERT INTO idempotency_keys (org_id, key, content_hash, job_keys, answer, created_at, expires_at)
        SELECT ${orgId}::uuid, n::text, '\\x00', '{}', json_build_object('random', encode(${randomBytes(200)}, 'hex')), now(), now()
        FROM generate_series(1, ${ROWS}::int) AS n`,
    ],
    'entries of the audit log': [
      500,
      (orgId) => world.db.$executeRaw`
        INSERT INTO audit_entries (id, org_id, action)
        SELECT gen_random_uuid(), ${orgId}::uuid, 'login.failed' FROM generate_series(1, ${ROWS}::int)`,
    ],
    'tags of jobs': [
      100,
      (orgId) => world.db.$executeRaw`
        INSERT INTO job_tags (org_id, tag, created_at, id, key)
        SELECT ${orgId}::uuid, 'a', now(), n::text, gen_random_uuid() FROM generate_series(1, ${ROWS}::int) AS n`,
    ],
    counts: [
      100,
      (orgId) => world.db.$executeRaw`
        INSERT INTO job_counts (org_id, step_minutes, at, type, status, n)
        SELECT ${orgId}::uuid, 5, now(), n::text, 'done', 1 FROM generate_series(1, ${ROWS}::int) AS n`,
    ],
    templates: [
      1_000,
      (orgId) => world.db.$executeRaw`
        INSERT INTO templates (id, org_id, name, kind, body)
        SELECT gen_random_uuid(), ${orgId}::uuid, n::text, 'sms', encode(${randomBytes(600)}, 'hex') FROM generate_series(1, ${ROWS}::int) AS n`,
    ],
    'samples of templates': [
      1_000,
      (orgId) => world.db.$executeRaw`
        INSERT INTO templates (id, org_id, name, kind, body, sample)
        SELECT gen_random_uuid(), ${orgId}::uuid, n::text, 'sms', 'x', json_build_object('a', encode(${randomBytes(600)}, 'hex'))
        FROM generate_series(1, ${ROWS}::int) AS n`,
    ],
  };

  it.each(Object.entries(ADDED))('%s', async (_what, [bytes, add]) => {
    const { orgId } = await register(open.call);
    await add(orgId);
    await countStoredBytes(world.db, 1_000);
    expect(await storedBytes(orgId)).toBeGreaterThan(bytes * ROWS);
    expect(await storedBytes(orgId)).toBeLessThan(4 * bytes * ROWS);
  });

  it('the payloads of schedules', async () => {
    const person = await register(open.call);
    const schedule = {
      name: 'large',
      cron: '@daily',
      type: 'x',
      payload: { random: randomBytes(30 * KIB).toString('base64') },
    };
    expect((await person.post('/schedules', schedule)).status).toBe(201);
    await countStoredBytes(world.db, 1_000);
    expect(await storedBytes(person.orgId)).toBeGreaterThan(30 * KIB);
  });
});

it('the size of a large table is estimated from some of its pages', async () => {
  const person = await register(open.call);
  const rows = 2_000;
  await world.db.$executeRaw`
    INSERT INTO messages (id, org_id, channel, status, provider, recipient, body, called_at, created_at, updated_at)
    SELECT gen_random_uuid(), ${person.orgId}::uuid, 'sms', 'sent', 'test', 'x', repeat(md5(n::text), 30), now(), now(), now()
    FROM generate_series(1, ${rows}) AS n`;
  await countStoredBytes(world.db, 100_000);
  const whole = await storedBytes(person.orgId);
  expect(whole).toBeGreaterThan(rows * 600);

  await world.db.$executeRaw`UPDATE organizations SET stored_bytes = 0`;
  await countStoredBytes(world.db, 60);
  const estimate = await storedBytes(person.orgId);
  expect(estimate).toBeGreaterThan(whole / 3);
  expect(estimate).toBeLessThan(whole * 3);
});
