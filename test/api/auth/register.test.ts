import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
const good = { org_name: 'Acme', email: 'owner@example.com', password: 'long enough' };

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

const register = (body: unknown, on = api) => on.call('POST', '/auth/register', { body });

describe('POST /auth/register', () => {
  it('creates an organization with a signed-in owner and a webhook secret', async () => {
    const answer = await register({ ...good, org_name: '  Acme & Søn 💼 ', email: ' First@Example.COM ' });

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      user: { id: expect.any(String), email: 'first@example.com', role: 'owner' },
      org: { id: expect.any(String), name: 'Acme & Søn 💼' },
    });
    const { token } = answer.body;
    const me = await api.call('GET', '/auth/me', { token });
    expect(me.body).toEqual({
      user: answer.body.user,
      org: answer.body.org,
      orgs: [{ ...answer.body.org, role: 'owner' }],
    });
    expect((await api.call('GET', '/org/webhook-secret', { token })).body.secret).toMatch(/^whsec_/);
  });

  it.each([
    [{}, ['org_name', 'email', 'password']],
    [{ org_name: 1, email: 2, password: 3, role: 'owner' }, ['org_name', 'email', 'password', 'role']],
    [{ ...good, org_name: '   ' }, ['org_name']],
    [{ ...good, org_name: 'x'.repeat(201) }, ['org_name']],
    [{ ...good, org_name: 'a\u0000b' }, ['org_name']],
    [{ ...good, org_name: 'a\nb' }, ['org_name']],
    [{ ...good, org_name: 'a\ud800' }, ['org_name']],
    [{ ...good, email: 'nope' }, ['email']],
    [{ ...good, email: 'a@b.co\u0000' }, ['email']],
    [{ ...good, email: 'a@b.co\r\nBcc: x@y.zz' }, ['email']],
    [{ ...good, email: `${'x'.repeat(250)}@example.com` }, ['email']],
    [{ ...good, email: '\ud800@example.com' }, ['email']],
    [{ ...good, email: { $gt: '' } }, ['email']],
    [{ ...good, password: 'seven77' }, ['password']],
    [{ ...good, password: 'x'.repeat(73) }, ['password']],
    [{ ...good, password: '€'.repeat(25) }, ['password']],
    [{ ...good, password: 'well\ud800formed' }, ['password']],
    [{ ...good, password: null }, ['password']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await register(body), 400, 'validation_failed', paths);
  });

  it('accepts values at the limits', async () => {
    const long = `${'x'.repeat(64)}@${'y'.repeat(60)}.${'z'.repeat(60)}.example.com`;
    expect((await register({ org_name: '€'.repeat(200), email: long, password: '€'.repeat(24) })).status).toBe(201);
    expect((await register({ ...good, email: 'b@example.com', password: 'nul\u0000nul\u0000' })).status).toBe(201);
  });

  it('rejects an address that already has an account, in any case, and changes nothing', async () => {
    expect((await register({ ...good, email: 'known@example.com' })).status).toBe(201);
    const before = await world.db.organization.count();

    expectError(await register({ ...good, email: 'KNOWN@example.com' }), 409, 'conflict');

    expect(await world.db.organization.count()).toBe(before);
  });

  // All requests hash at the same time: the check before the hash finds no account, so only the unique index decides.
  it('creates one account for 20 simultaneous registrations of one address', async () => {
    const before = await world.db.organization.count();

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => register({ ...good, email: 'race@example.com' })),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 201) expectError(answer, 409, 'conflict');
    expect(await world.db.organization.count()).toBe(before + 1);
  });

  it('is forbidden when registration is closed', async () => {
    const closed = await world.api({ settings: { registration: 'closed' } });
    expectError(await register({ ...good, email: 'closed@example.com' }, closed), 403, 'forbidden');
  });
});

it('with REGISTRATION=first, creates one of 10 simultaneous organizations and then no other', async () => {
  const empty = await createWorld();
  try {
    const first = await empty.api({ settings: { registration: 'first' } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => register({ ...good, email: `first-${n}@example.com` }, first)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 201) expectError(answer, 403, 'forbidden');
    expectError(await register({ ...good, email: 'late@example.com' }, first), 403, 'forbidden');
    expect(await empty.db.organization.count()).toBe(1);
  } finally {
    await empty.end();
  }
});
