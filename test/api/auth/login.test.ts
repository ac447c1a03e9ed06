import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuTimeOf, createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { addMember, expectError, keepingLogger } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const login = (body: unknown) => api.call('POST', '/auth/login', { body });

describe('POST /auth/login', () => {
  it('signs in with the address in any case', async () => {
    const answer = await login({ email: ` ${person.email.toUpperCase()} `, password: person.password });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token: expect.any(String),
      user: { id: expect.any(String), email: person.email, role: 'owner' },
    });
    expect((await api.call('GET', '/auth/me', { token: answer.body.token })).body.org.id).toBe(person.orgId);
  });

  it('ignores credentials in the headers', async () => {
    const body = { email: person.email, password: person.password };
    expect((await api.call('POST', '/auth/login', { body, token: 'expired', key: 'jl_x' })).status).toBe(200);
  });

  it.each([
    [{}, ['email', 'password']],
    [{ email: { $gt: '' }, password: ['x'], more: 1 }, ['email', 'password', 'more']],
    [{ email: 'a@b.co', password: 12345678 }, ['password']],
    [{ email: 'a@b.co', password: 'x', org_id: 'nope' }, ['org_id']],
    [{ email: 'a@b.co', password: 'x', org_id: null }, ['org_id']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await login(body), 400, 'validation_failed', paths);
  });

  it('has the same error for an unknown address, a wrong password and an organization of others', async () => {
    const other = await register(api.call);
    const answers = [
      await login({ email: 'unknown@example.com', password: person.password }),
      await login({ email: person.email, password: 'wrong' }),
      await login({ email: person.email, password: person.password, org_id: other.orgId }),
      await login({ email: person.email, password: person.password, org_id: '00000000-0000-0000-0000-000000000000' }),
    ];
    for (const answer of answers) expectError(answer, 401, 'invalid_credentials');
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
  });

  // bcrypt reads only the first 72 bytes.
  it('rejects a longer password that begins with the right one', async () => {
    const email = 'long@example.com';
    const password = 'x'.repeat(72);
    await api.call('POST', '/auth/register', { body: { org_name: 'Long', email, password } });

    expect((await login({ email, password })).status).toBe(200);
    expectError(await login({ email, password: `${password}y` }), 401, 'invalid_credentials');
  });

  it('signs a user of several organizations in to the one they name, or the one they joined last', async () => {
    const member = await addMember(world, api, person.orgId, 'member');
    const own = { email: member.email, password: member.password };

    const last = await login(own);
    expect(last.body.user.role).toBe('member');
    expect((await api.call('GET', '/auth/me', { token: last.body.token })).body.org.id).toBe(person.orgId);

    const me = await member.get('/auth/me');
    const home = me.body.orgs.find(({ role }: { role: string }) => role === 'owner').id;
    const named = await login({ ...own, org_id: home });
    expect(named.body.user.role).toBe('owner');
    expect((await api.call('GET', '/auth/me', { token: named.body.token })).body.org.id).toBe(home);
  });

  it('explains to a user without an organization what to do, and reveals nothing with a wrong password', async () => {
    const gone = await register(api.call);
    await world.db.membership.deleteMany({ where: { orgId: gone.orgId } });
    const own = { email: gone.email, password: gone.password };

    for (const body of [own, { ...own, org_id: gone.orgId }]) {
      const refused = await login(body);
      expectError(refused, 403, 'forbidden');
      expect(refused.body.error.message).toContain('ask an owner for an invite');
    }
    const guessed = await login({ ...own, password: 'wrong' });
    expectError(guessed, 401, 'invalid_credentials');
    const unknown = await login({ ...own, email: 'unknown@example.com' });
    expect(guessed.body.error.message).toBe(unknown.body.error.message);
  });
});

describe('a password of another cost', () => {
  const hashOf = async ({ email }: Person) =>
    (await world.db.user.findUniqueOrThrow({ where: { email }, select: { passwordHash: true } })).passwordHash;

  it('is replaced by a new hash when its owner logs in, and only then', async () => {
    const user = await register(api.call);
    const dearer = await world.api({ settings: { passwordCost: 6 } });
    const at = (password: string) => dearer.call('POST', '/auth/login', { body: { email: user.email, password } });
    expectError(await at('wrong'), 401, 'invalid_credentials');
    expect(await hashOf(user)).toMatch(/^\$2b\$04\$/);

    expect((await at(user.password)).status).toBe(200);
    const renewed = await hashOf(user);
    expect(renewed).toMatch(/^\$2b\$06\$/);
    expect((await at(user.password)).status).toBe(200);
    expect(await hashOf(user)).toBe(renewed);
    expect((await user.get('/auth/me')).status).toBe(200);
  });

  it('does not disturb concurrent logins', async () => {
    const user = await register(api.call);
    const dearer = await world.api({ settings: { passwordCost: 6 } });
    const body = { email: user.email, password: user.password };
    const logins = Array.from({ length: 20 }, () => dearer.call('POST', '/auth/login', { body }));

    expect(new Set((await Promise.all(logins)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('lets its owner in if the hash cannot be replaced, and logs a warning', async () => {
    const user = await register(api.call);
    const { log, lines } = keepingLogger();
    const dearer = await world.api({ log, settings: { passwordCost: 6 } });
    await world.db
      .$executeRaw`ALTER TABLE users ADD CONSTRAINT unchanged CHECK (password_hash LIKE '$2b$04$%') NOT VALID`;
    const answer = await dearer.call('POST', '/auth/login', { body: { email: user.email, password: user.password } });
    await world.db.$executeRaw`ALTER TABLE users DROP CONSTRAINT unchanged`;

    expect(answer.status).toBe(200);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'failed to replace an outdated password hash' }),
    );
  });
});

describe('an unknown address', () => {
  // With cost 12 a hash takes hundreds of milliseconds; without the comparison the login would take a fiftieth of that.
  it('takes about as long as a wrong password', async () => {
    const slow = await world.api({ settings: { passwordCost: 12 } });
    const { email } = await register(slow.call);
    const costOf = (address: string) =>
      cpuTimeOf(() => slow.call('POST', '/auth/login', { body: { email: address, password: 'wrong' } }));
    const wrong: number[] = [];
    const unknown: number[] = [];
    for (let i = 0; i < 3; i++) {
      wrong.push(await costOf(email));
      unknown.push(await costOf('unknown@example.com'));
    }
    expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...wrong) / 2);
    expect(Math.min(...unknown)).toBeLessThan(Math.min(...wrong) * 2);
  });
});
