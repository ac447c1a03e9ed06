import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';

/** More than one statement changes. */
const DELIVERIES = 4_500;
const SINCE = new Date('2026-01-01T00:00:00Z');

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

async function fill(status: 'pending' | 'failed' | 'delivered'): Promise<void> {
  const eventId = newId();
  await world.db.$executeRaw`
    INSERT INTO webhook_events (id, org_id, type, data, webhook_id, created_at, is_planned)
    VALUES (${eventId}::uuid, ${person.orgId}::uuid, 'job.done', '{}', ${id}::uuid, now(), true)`;
  await world.db.$executeRaw`
    INSERT INTO webhook_deliveries (id, org_id, event_id, webhook_id, status, attempts_left, next_attempt_at, created_at)
    SELECT gen_random_uuid(), ${person.orgId}::uuid, ${eventId}::uuid, ${id}::uuid, ${status}::delivery_status,
      ${status === 'pending' ? 3 : 0}::int, CASE ${status} WHEN 'pending' THEN now() + interval '1 hour' END, now()
    FROM generate_series(1, ${DELIVERIES}::int)`;
}

const count = (where: object = {}) => world.db.webhookDelivery.count({ where: { webhookId: id, ...where } });

it('a webhook that is disabled fails its pending deliveries', async () => {
  await fill('pending');

  expect((await person.patch(`/org/webhooks/${id}`, { enabled: false })).status).toBe(200);

  expect(await count({ status: 'failed', attemptsLeft: 0, nextAttemptAt: null })).toBe(DELIVERIES);
});

it('each failed delivery gets one more attempt', async () => {
  await fill('failed');

  expect((await person.post(`/org/webhooks/${id}/recover`, { since: SINCE.toISOString() })).status).toBe(202);

  expect(await count({ status: 'pending' })).toBe(DELIVERIES);
});

it('what was delivered gets one more attempt only if this is asked for, and what is pending gets none', async () => {
  await fill('delivered');
  await fill('pending');
  const recover = (more: object) => person.post(`/org/webhooks/${id}/recover`, { since: SINCE.toISOString(), ...more });

  expect((await recover({})).status).toBe(202);
  expect(await count({ status: 'delivered' })).toBe(DELIVERIES);
  expect((await recover({ delivered: true })).status).toBe(202);
  expect(await count({ status: 'pending' })).toBe(2 * DELIVERIES);
  const repeated = await count({ attemptsLeft: 0, nextAttemptAt: { not: null } });
  expect(repeated).toBe(DELIVERIES);
});

it('a webhook is deleted with all its deliveries, and another organization deletes none of them', async () => {
  await fill('failed');
  const other = await register(api.call);

  expect((await other.delete(`/org/webhooks/${id}`)).status).toBe(404);
  expect(await count()).toBe(DELIVERIES);
  expect((await person.delete(`/org/webhooks/${id}`)).status).toBe(204);
  expect(await count()).toBe(0);
});
