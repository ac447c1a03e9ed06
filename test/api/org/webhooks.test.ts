import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const unused = { failing_since: null, last_success_at: null, failures: 0 };
const good = { url: 'https://example.com/hook', events: ['job.*'] };

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
beforeEach(async () => {
  person = await register(api.call);
});
afterAll(() => world.end());

describe('POST /org/webhooks', () => {
  it('shows the secret once', async () => {
    const answer = await person.post('/org/webhooks', { ...good, description: 'orders' });

    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      ...good,
      description: 'orders',
      enabled: true,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: expect.any(String),
    });
    const { secret: _, ...shown } = answer.body;
    expect((await person.get(`/org/webhooks/${shown.id}`)).body).toEqual({ ...shown, ...unused });
    expect((await person.get('/org/webhooks')).body).toEqual([{ ...shown, ...unused }]);
  });

  it.each([
    [{ url: undefined }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'http://user:pass@example.com/' }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2_048)}` }, 'url'],
    [{ url: 'https://example.com/\u0000' }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['job.started'] }, 'events[0]'],
    [{ events: ['job.done', 'job.done'] }, 'events[1]'],
    [{ events: 'job.done' }, 'events'],
    [{ description: 'a\u0007' }, 'description'],
    [{ secret: 'mine' }, 'secret'],
  ])('rejects %j and names the field', async (change, path) => {
    expectError(await person.post('/org/webhooks', { ...good, ...change }), 400, 'validation_failed', [path]);
  });

  it('creates one for one Idempotency-Key, and a replay does not show the secret', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await person.post('/org/webhooks', good, { headers });
    const replay = await person.post('/org/webhooks', good, { headers });

    const { secret: _, ...shown } = first.body;
    expect([replay.status, replay.body]).toEqual([201, shown]);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    const other = { ...good, events: ['*'] };
    expectError(await person.post('/org/webhooks', other, { headers }), 422, 'idempotency_key_reused');
  });

  it('allows 20 for an organization', async () => {
    for (let n = 0; n < 20; n++) expect((await person.post('/org/webhooks', good)).status).toBe(201);

    expectError(await person.post('/org/webhooks', good), 409, 'conflict');
  });
});

describe('webhooks', () => {
  it('a webhook can be changed, disabled and deleted', async () => {
    const { id } = (await person.post('/org/webhooks', good)).body;
    const changed = await person.patch(`/org/webhooks/${id}`, { events: ['*'], enabled: false, description: 'x' });
    expect([changed.status, changed.body]).toEqual([
      200,
      { id, url: good.url, events: ['*'], description: 'x', enabled: false, created_at: expect.any(String), ...unused },
    ]);
    expectError(await person.patch(`/org/webhooks/${id}`, {}), 400, 'validation_failed');
    expect((await person.delete(`/org/webhooks/${id}`)).status).toBe(204);
    expectError(await person.get(`/org/webhooks/${id}`), 404, 'not_found');
    expect(await world.db.webhookSecret.count({ where: { webhookId: id } })).toBe(0);
    const actions = (await person.get('/org/audit')).body.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 3)).toEqual(['webhook.deleted', 'webhook.changed', 'webhook.created']);
  });

  it('the secret of the organization stays when that of a webhook is rotated', async () => {
    const before = (await person.get('/org/webhook-secret')).body.secret;
    const { id, secret } = (await person.post('/org/webhooks', good)).body;
    const rotated = (await person.post(`/org/webhooks/${id}/rotate`)).body.secret;

    expect(new Set([before, secret, rotated]).size).toBe(3);
    expect((await person.get('/org/webhook-secret')).body.secret).toBe(before);
  });
});
