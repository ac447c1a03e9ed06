import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

const addWebhook = async (): Promise<string> =>
  (await person.post('/org/webhooks', { url: 'https://example.com/', events: ['alert.raised'] })).body.id;

/** Stores deliveries of one event. */
async function store(webhook: string, status: string, count: number, hoursAgo: number): Promise<void> {
  await world.db.$executeRaw`
    WITH e AS (
      INSERT INTO webhook_events (org_id, type, data, created_at) VALUES (${person.orgId}::uuid, 'job.done', '{"id":"j"}', now())
      RETURNING id)
    INSERT INTO webhook_deliveries (id, org_id, event_id, webhook_id, status, attempts_left, created_at)
    SELECT gen_random_uuid(), ${person.orgId}::uuid, e.id, ${webhook}::uuid, ${status}::delivery_status, 0,
      now() - ${hoursAgo}::float8 * interval '1 hour'
    FROM e, generate_series(1, ${count}::int)`;
}

const stats = async (query = '') => (await person.get(`/stats/webhooks${query}`)).body;

describe('GET /stats/webhooks', () => {
  it('counts the deliveries to each webhook in the window, newest webhook first', async () => {
    const first = await addWebhook();
    const second = await addWebhook();
    await store(first, 'delivered', 5, 0);
    await store(first, 'failed', 2, 3);
    await store(first, 'pending', 1, 0);
    await store(first, 'failed', 7, 30);

    expect(await stats()).toMatchObject([
      { webhook_id: second, pending: 0, delivered: 0, failed: 0 },
      { webhook_id: first, pending: 1, delivered: 5, failed: 2 },
    ]);
    expect((await stats('?window=7d'))[1]).toMatchObject({ failed: 9 });
    expect((await stats('?window=1h'))[1]).toMatchObject({ delivered: 5, failed: 0 });
  });

  it('has a series of equal steps without gaps', async () => {
    const webhook = await addWebhook();
    await store(webhook, 'failed', 2, 3);

    const [{ series }] = await stats();

    expect(series).toHaveLength(48);
    expect(series.filter(({ failed }: { failed: number }) => failed > 0)).toHaveLength(1);
    const times = series.map(({ at }: { at: string }) => Date.parse(at));
    expect(new Set(times.slice(1).map((at: number, n: number) => at - times[n]))).toEqual(new Set([1_800_000]));
  });

  it('rejects an unknown window', async () => {
    expectError(await person.get('/stats/webhooks?window=2h'), 400, 'validation_failed', ['window']);
  });
});
