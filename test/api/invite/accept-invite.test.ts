import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cpuTimeOf,
  createWorld,
  HANG_MS,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { ANY_TIME, accept, expire, idOf, inviteToken, UNKNOWN_ID } from '../org/team.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

const DAY_MS = 24 * 3_600_000;
const look = (token: string) => api.call('GET', `/invite?token=${token}`);
const login = (email: string, password: string) => api.call('POST', '/auth/login', { body: { email, password } });

describe('GET /invite', () => {
  it('shows the address and the organization of the link, and no more', async () => {
    const token = await inviteToken(owner, 'look@example.com');
    const answer = await look(token);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      email: 'look@example.com',
      org_name: expect.stringMatching(/^Org /),
      expires_at: ANY_TIME,
    });
  });

  it.each(['', '?token=', '?token=a&token=b', '?tokens=a', '?token=a&more=1'])('rejects /invite%s', async (query) => {
    expectError(await api.call('GET', `/invite${query}`), 400, 'validation_failed');
  });

  it.each(['nope', '%00', "'or'1'='1", 'x'.repeat(43), 'x'.repeat(1000)])(
    'finds no invite for %.20j',
    async (token) => {
      expectError(await look(token), 404, 'invite_not_found');
    },
  );
});

describe('POST /invite/accept', () => {
  it('creates the account, the membership and a session', async () => {
    const token = await inviteToken(owner, 'new@example.com', 'admin');

    const answer = await accept(api, token, 'chosen by me');

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token: expect.any(String),
      user: { id: expect.any(String), email: 'new@example.com', role: 'admin' },
    });
    const me = await api.call('GET', '/auth/me', { token: answer.body.token });
    expect(me.body).toMatchObject({ user: answer.body.user, org: { id: owner.orgId } });
    expect((await login('new@example.com', 'chosen by me')).body.user.id).toBe(answer.body.user.id);
    const [entry] = (await owner.get('/org/audit?action=invite.accepted')).body;
    expect(entry).toMatchObject({ actor: { email: 'new@example.com' }, details: { role: 'admin' } });
  });

  it.each([
    [{}, ['token', 'password']],
    [{ token: 1, password: 2, more: 3 }, ['token', 'password', 'more']],
    [{ token: 'x', password: 'seven77' }, ['password']],
    [{ token: 'x', password: '€'.repeat(25) }, ['password']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await api.call('POST', '/invite/accept', { body }), 400, 'validation_failed', paths);
  });

  it('rejects an unknown, an expired and a used link, each with its own error', async () => {
    const [late, used] = [await inviteToken(owner, 'late@example.com'), await inviteToken(owner, 'used@example.com')];
    await expire(world, late);
    expect((await accept(api, used)).status).toBe(200);
    const refused = [
      [UNKNOWN_ID, 404, 'invite_not_found'],
      [late, 410, 'invite_expired'],
      [used, 410, 'invite_consumed'],
    ] as const;
    for (const [token, status, code] of refused) {
      expectError(await look(token), status, code);
      expectError(await accept(api, token), status, code);
    }
    await expire(world, used);
    expectError(await accept(api, used), 410, 'invite_consumed');
    expect(await world.db.user.count({ where: { email: 'late@example.com' } })).toBe(0);
  });

  it('computes no password hash for an invalid token', async () => {
    const dear = await world.api({ settings: { passwordCost: 14 } });
    const token = await inviteToken(owner, 'costly@example.com');

    const bad = await cpuTimeOf(async () => {
      for (let n = 0; n < 10; n++) await accept(dear, `unknown-${n}`);
    });

    // Ten hashes would take ten times as long as the one of a valid token.
    expect(bad).toBeLessThan((await cpuTimeOf(() => accept(dear, token))) / 2);
  });

  it('accepts one of 50 simultaneous requests, and rejects the others because the invite is used', async () => {
    const token = await inviteToken(owner, 'fifty@example.com');

    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => accept(api, token, `password ${n}`)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = answers.findIndex(({ status }) => status === 200);
    for (const answer of answers.filter((_, n) => n !== winner)) expectError(answer, 410, 'invite_consumed');
    expect((await login('fifty@example.com', `password ${winner}`)).status).toBe(200);
    expect(await world.db.membership.count({ where: { user: { email: 'fifty@example.com' } } })).toBe(1);
  });
});

describe('an invite for an address that has an account', () => {
  it('is accepted with the password of the account, which does not change', async () => {
    const known = await register(api.call);
    const token = await inviteToken(owner, known.email);

    const wrong = await accept(api, token, 'a password of my own');
    expectError(wrong, 401, 'invalid_credentials');
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
    expect((await look(token)).status).toBe(200);

    const answer = await accept(api, token, known.password);
    expect(answer.body.user).toEqual({ id: await idOf(known), email: known.email, role: 'member' });
    expect((await known.get('/auth/me')).body.orgs).toHaveLength(2);
    expect((await login(known.email, known.password)).status).toBe(200);
    expectError(await login(known.email, 'a password of my own'), 401, 'invalid_credentials');
  });

  it('requires that password too when the account is registered at the same moment', async () => {
    for (let n = 0; n < 6; n++) {
      const email = `racing-${n}@example.com`;
      const token = await inviteToken(owner, email);
      const account = { org_name: 'Racing', email, password: 'of the account' };
      const [registered, accepted] = await Promise.all([
        api.call('POST', '/auth/register', { body: account }),
        accept(api, token, 'of the invite'),
      ]);

      // The first request creates the account; the other does not change it.
      expect([registered.status, accepted.status].sort()).toEqual(registered.status === 201 ? [201, 401] : [200, 409]);
      expect((await login(email, registered.status === 201 ? 'of the account' : 'of the invite')).status).toBe(200);
    }
  });

  // The acceptance waits between its lookup and its write; an account created in that gap must not change.
  it('detects an account that was created after the lookup', async () => {
    const token = await inviteToken(owner, 'gap@example.com');
    const id = newId();
    const passwordHash = '$2b$04$abcdefghijklmnopqrstuuxgOJRzZRsvI2lFMpwR0eBQzF5wCk9Ku';
    const { accepting } = await world.db.$transaction(
      async (tx) => {
        await tx.$executeRaw`SELECT FROM organizations WHERE id = ${owner.orgId}::uuid FOR NO KEY UPDATE`;
        const accepting = accept(api, token, 'of the invite');
        await until('the acceptance to wait', async () => {
          const waiting = await world.db.$queryRaw<unknown[]>`
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          return waiting.length > 0;
        });
        await world.db.user.create({ data: { id, email: 'gap@example.com', passwordHash } });
        return { accepting };
      },
      { timeout: HANG_MS },
    );

    expectError(await accepting, 401, 'invalid_credentials');

    expect((await world.db.user.findUniqueOrThrow({ where: { id } })).passwordHash).toBe(passwordHash);
    expect((await look(token)).status).toBe(200);
  });

  it('keeps the role of a person who became a member in the meantime', async () => {
    const known = await register(api.call);
    const token = await inviteToken(owner, known.email, 'member');
    await world.db.membership.create({ data: { orgId: owner.orgId, userId: await idOf(known), role: 'admin' } });

    expect((await accept(api, token, known.password)).body.user.role).toBe('admin');
  });
});

it('an invite is deleted a month after it expires; until then its link explains that it has expired', async () => {
  const [kept, gone] = [await inviteToken(owner, 'kept@example.com'), await inviteToken(owner, 'gone@example.com')];
  await expire(world, kept, 29 * DAY_MS);
  await expire(world, gone, 31 * DAY_MS);

  await world.worker();
  await until('the old invite to be deleted', async () => (await look(gone)).status === 404);

  expectError(await look(kept), 410, 'invite_expired');
});
