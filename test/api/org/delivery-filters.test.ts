import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
let id: string;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  person = await register(api.call);
  const webhook = { url: 'https://hooks.example.com/hook', events: ['*'] };
  id = (await person.post('/org/webhooks', webhook)).body.id;
});
afterAll(() => world.end());

interface Stored {
  event?: string;
  answer?: number | null;
  jobKey?: string;
  minutesAgo?: number;
  count?: number;
}

/** Stores deliveries that have failed, and returns the id of the last one. */
async function store({
  event = 'job.done',
  answer = null,
  jobKey,
  minutesAgo = 1,
  count = 1,
}: Stored): Promise<string> {
  const eventId = newId();
  await world.db.$executeRaw`
    INSERT INTO webhook_events (id, org_id, type, data, job_key, created_at, is_planned)
    VALUES (${eventId}::uuid, ${person.orgId}::uuid, ${event}, '{}', ${jobKey ?? null}::uuid, now(), true)`;
  const deliveryId = newId();
  await world.db.$executeRaw`
    INSERT INTO webhook_deliveries (id, org_id, event_id, webhook_id, status, attempts, attempts_left, last_status, created_at)
    SELECT CASE n WHEN ${count}::int THEN ${deliveryId}::uuid ELSE gen_random_uuid() END, ${person.orgId}::uuid, ${eventId}::uuid,
      ${id}::uuid, 'failed', 1, 0, ${answer}::int, date_trunc('milliseconds', now() - ${minutesAgo}::float8 * interval '1 min')
    FROM generate_series(1, ${count}::int) AS n`;
  return deliveryId;
}

const list = (query: string) => person.get(`/org/webhooks/${id}/deliveries?${query}`);
const idsOf = async (query: string) => (await list(query)).body.map((one: { id: string }) => one.id);
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

it('deliveries are listed by event, by status code, by time, and by all of them', async () => {
  const done = await store({ answer: 500, minutesAgo: 1 });
  const failed = await store({ event: 'job.failed', answer: 500, minutesAgo: 10 });
  const paid = await store({ event: 'payment.paid', answer: 404, minutesAgo: 20 });

  expect(await idsOf('event=job.failed')).toEqual([failed]);
  expect(await idsOf('event=test.ping')).toEqual([]);
  expect(await idsOf('status_code=500')).toEqual([done, failed]);
  expect(await idsOf(`created_after=${ago(15)}`)).toEqual([done, failed]);
  expect(await idsOf(`created_before=${ago(5)}`)).toEqual([failed, paid]);
  expect(await idsOf(`created_after=${ago(15)}&created_before=${ago(5)}&status_code=500`)).toEqual([failed]);
  expect(await idsOf(`event=payment.paid&status_code=404&status=failed&created_before=${ago(5)}`)).toEqual([paid]);
  expect(await idsOf('event=payment.paid&status=pending')).toEqual([]);
});

it('deliveries are listed by the job that they are about, and an unknown job has none', async () => {
  const job = await submitJob(person, 'webhook', { url: 'https://example.com/', payload: {} });
  const { key } = await world.db.submittedJob.findFirstOrThrow({ where: { orgId: person.orgId, id: job } });
  await store({ jobKey: newId() });
  const failed = await store({ event: 'job.failed', jobKey: key, minutesAgo: 3 });
  const done = await store({ jobKey: key, answer: 500, minutesAgo: 2 });
  const sent = await store({ event: 'message.sent', jobKey: key });

  expect(await idsOf(`job=${job}`)).toEqual([sent, done, failed]);
  expect(await idsOf(`job=${job}&status_code=500`)).toEqual([done]);
  const about = (await list('')).body.map((one: { job_id?: string }) => one.job_id);
  expect(about.filter((one: string | undefined) => one !== undefined)).toEqual([job, job, job]);
  expect(await idsOf(`job=${job}&event=job.failed`)).toEqual([failed]);
  expect(await idsOf('job=unknown')).toEqual([]);
  const other = await register(api.call);
  expect((await other.get(`/org/webhooks/${id}/deliveries?job=${job}`)).status).toBe(404);
});

it('pages of a filter lead to its last delivery, also beyond the deliveries that one page examines', async () => {
  const rare = [await store({ answer: 404, minutesAgo: 30 }), await store({ answer: 404, minutesAgo: 20 })];
  await store({ answer: 500, count: 12_000, minutesAgo: 10 });
  const newest = await store({ answer: 404, minutesAgo: 5 });

  const found: string[] = [];
  let path: string | undefined = `/org/webhooks/${id}/deliveries?status_code=404&limit=2`;
  let pages = 0;
  for (; path !== undefined; pages++) {
    const answer = await person.get(path);
    expect(answer.status, answer.text).toBe(200);
    found.push(...answer.body.map((one: { id: string }) => one.id));
    path = /<(.+)>/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  expect(found).toEqual([newest, ...rare.reverse()]);
  expect(pages).toBeLessThanOrEqual(4);
});

it.each([
  'event=job.started',
  'event=job.*',
  'job=',
  'job=a b',
  'status_code=99',
  'status_code=600',
  'status_code=ok',
  'created_after=soon',
  'created_before=2026',
])('rejects %s and names the field', async (query) => {
  expectError(await list(query), 400, 'validation_failed', [query.replace(/=.*/, '')]);
});
