import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type TestApi, type World } from '../harness/index.js';
import { expectError } from './support.js';

const COMMAND = fileURLToPath(new URL('../../apps/api/dist/create-owner-main.js', import.meta.url));

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ settings: { registration: 'closed' } });
});
afterAll(() => world.end());

const createOwner = (...args: string[]) => run(args, { NODE_ENV: 'test', BCRYPT_COST: '4' });

async function run(
  args: string[],
  settings: Record<string, string>,
): Promise<{ failed: boolean; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, DATABASE_URL: world.databaseUrl, ...settings };
  try {
    return { failed: false, ...(await promisify(execFile)(process.execPath, [COMMAND, ...args], { env })) };
  } catch (error) {
    // The cast: execFile rejects with this type when the program fails.
    return { failed: true, ...(error as { stdout: string; stderr: string }) };
  }
}

it('the command creates an owner while registration is closed', async () => {
  const body = { org_name: 'Acme', email: 'first@example.com', password: 'long enough' };
  expectError(await api.call('POST', '/auth/register', { body }), 403, 'forbidden');

  const { failed, stdout, stderr } = await createOwner('Acme', ' Ada@Example.com ');

  expect([failed, stderr]).toEqual([false, '']);
  const [, password = ''] = /shown only once: (\S{24})\n$/.exec(stdout) ?? [];
  const login = await api.call('POST', '/auth/login', { body: { email: 'ada@example.com', password } });
  expect(login.body.user).toMatchObject({ email: 'ada@example.com', role: 'owner' });
  const { token } = login.body;
  expect((await api.call('GET', '/auth/me', { token })).body.org.name).toBe('Acme');
  expect((await api.call('GET', '/org/webhook-secret', { token })).body.secret).toMatch(/^whsec_/);
});

it.each([
  [['Acme'], /email.*usage/s],
  [['', 'a@example.com'], /organization.*usage/s],
  [['Acme', 'nope'], /email.*usage/s],
  [['Acme', 'b@example.com', 'more'], /too many.*usage/s],
  [['Acme', 'ada@example.com'], /already has an account/],
])('the command rejects %j and explains why', async (args, why) => {
  const { failed, stdout, stderr } = await createOwner(...args);
  expect([failed, stdout]).toEqual([true, '']);
  expect(stderr).toMatch(why);
  expect(await world.db.organization.count()).toBe(1);
});

it('the command rejects a weak BCRYPT_COST in production, as the API does', async () => {
  const { failed, stderr } = await run(['Acme', 'c@example.com'], { BCRYPT_COST: '11' });

  expect([failed, stderr]).toEqual([true, expect.stringContaining('BCRYPT_COST')]);
  expect(await world.db.organization.count()).toBe(1);
});
