import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runPiped, startInTerminal } from './cli-process.js';
import { type ClientWorld, createClientWorld } from './client-world.js';

let at: ClientWorld;
let dir: string;
let env: Record<string, string>;

beforeAll(async () => {
  at = await createClientWorld();
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'jobline-profile-'));
  env = { XDG_CONFIG_HOME: dir, HOME: join(dir, 'home') };
});
afterEach(() => rmSync(dir, { recursive: true }));
afterAll(() => at.end());

const jobline = (args: string[], more: Record<string, string> = {}, input = '') =>
  runPiped(args, { env: { ...env, ...more }, input });
const profile = (name = 'default') => join(dir, 'jobline', `${name}.json`);
const read = (name?: string) => JSON.parse(readFileSync(profile(name), 'utf8'));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Answers the questions of `jobline login`, one after the other. */
async function logIn(...args: string[]) {
  const { email, password } = at.person;
  const login = startInTerminal(['login', ...args], env);
  for (const [question, answer] of [
    ['URL of the API [http://localhost:3000]: ', at.proxy.url],
    ['Email: ', email],
    ['Password: ', password],
  ] as const) {
    await login.shows(question);
    login.type(`${answer}\r`);
  }
  return { code: await login.ended, stdout: login.stdout() };
}

const keyLogin = (...args: string[]) => jobline(['login', '--url', at.proxy.url, '--key', at.key, ...args]);

describe('jobline login', () => {
  it('asks on a terminal, does not show the password, and stores the session for its owner only', async () => {
    const { code, stdout } = await logIn();

    expect(code).toBe(0);
    expect(stdout).toContain(`Logged in at ${at.proxy.url} as ${at.person.email}. The session ends in`);
    expect(stdout).not.toContain(at.person.password);
    expect([modeOf(profile()), modeOf(join(dir, 'jobline'))]).toEqual(['600', '700']);
    const { token, ...shown } = read();
    expect(shown).toEqual({ url: at.proxy.url, email: at.person.email, expires_at: expect.stringMatching(/Z$/) });
    expect(stdout).not.toContain(token);
    expect(Date.parse(shown.expires_at)).toBeGreaterThan(Date.now());
    expect((await jobline(['keys', 'list', '--json'])).stdout).toContain('"a key"');
  });

  it('reads the answers from the standard input if there is no terminal', async () => {
    const { email, password } = at.person;
    const login = await jobline(['login', '--url', at.proxy.url, '--email', email, '--json'], {}, `${password}\n`);

    expect(JSON.parse(login.stdout)).toMatchObject({ profile: 'default', url: at.proxy.url, email });
    expect(login).toMatchObject({ code: 0, stderr: '' });
    expect((await jobline(['limits', 'list'])).code).toBe(0);
    const incomplete = await jobline(['login', '--url', at.proxy.url], {}, `${email}\n`);
    expect(incomplete).toEqual({ code: 2, stdout: '', stderr: 'error: There is no answer to "Password:"\n' });
  });

  it('stores a key, which may come from the standard input', async () => {
    expect(await keyLogin()).toMatchObject({ code: 0, stdout: `Stored the API key for ${at.proxy.url}.\n` });
    expect([read(), modeOf(profile())]).toEqual([{ url: at.proxy.url, key: at.key }, '600']);
    const login = await jobline(['login', '--url', at.proxy.url, '--key', '-', '--profile', 'two'], {}, at.key);
    expect(login.stdout + login.stderr).not.toContain(at.key);
    expect(read('two')).toEqual(read());
    expect((await jobline(['list', '--profile', 'two', '--json'])).code).toBe(0);
  });

  it('replaces a profile that others may read, and stores it in ~/.config without XDG_CONFIG_HOME', async () => {
    await keyLogin();
    chmodSync(profile(), 0o644);
    expect(await jobline(['list'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Other users may read') });
    await keyLogin();
    expect(modeOf(profile())).toBe('600');

    const args = ['login', '--url', at.proxy.url, '--key', at.key];
    await jobline(args, { XDG_CONFIG_HOME: '' });
    expect(modeOf(join(dir, 'home/.config/jobline/default.json'))).toBe('600');
  });

  it('stores nothing if the API refuses the key or the password', async () => {
    const wrong = ['login', '--url', at.proxy.url, '--key', 'jl_wrong'];
    expect(await jobline(wrong)).toMatchObject({ code: 3, stdout: '' });
    const login = ['login', '--url', at.proxy.url, '--email', at.person.email];
    const refused = await jobline(login, {}, 'not the password\n');
    expect(refused).toMatchObject({ code: 3, stderr: 'error: The email address or the password is wrong.\n' });
    expect(existsSync(profile())).toBe(false);
  });
});

describe('jobline logout', () => {
  it('ends the session and deletes the profile', async () => {
    await logIn();
    const { token } = read();

    expect(await jobline(['logout'])).toEqual({ code: 0, stdout: 'Deleted the profile default.\n', stderr: '' });
    expect(existsSync(profile())).toBe(false);
    expect((await at.api.call('GET', '/auth/me', { token })).status).toBe(401);
    expect(await jobline(['logout'])).toMatchObject({ code: 0, stdout: 'There is no profile default.\n' });
  });
});

describe('the connection', () => {
  it('is that of the profile that is named, then that of the environment, then that of the default profile', async () => {
    await keyLogin('--profile', 'named');
    const wrong = { JOBLINE_URL: at.proxy.url, JOBLINE_API_KEY: 'jl_wrong' };

    expect((await jobline(['list'], wrong)).code).toBe(3);
    expect((await jobline(['list', '--profile', 'named'], wrong)).code).toBe(0);
    expect(await jobline(['list', '--profile', 'other'])).toMatchObject({
      code: 2,
      stderr: 'error: There is no profile other. Create it with `jobline login --profile other`.\n',
    });
    expect((await jobline(['list', '--profile', '../other'])).code).toBe(2);
  });

  it('is missing at first, and the error says what to do', async () => {
    expect(await jobline(['list'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: You are not logged in. Use `jobline login`, or set JOBLINE_URL and JOBLINE_API_KEY.\n',
    });
    expect((await jobline(['list'], { JOBLINE_API_KEY: 'jl_x' })).stderr).toContain('JOBLINE_URL is not');
  });

  it('sends the credential of a profile to no other address', async () => {
    await keyLogin();

    expect((await jobline(['list'], { JOBLINE_URL: at.proxy.url.replace(/\/$/, '') })).code).toBe(0);
    const other = await jobline(['list'], { JOBLINE_URL: 'http://127.0.0.1:9' });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('JOBLINE_URL is http://127.0.0.1:9') });
  });

  it('needs a session for what keys may not do, and the error says so', async () => {
    await keyLogin();
    for (const group of ['limits', 'keys', 'webhooks']) {
      const refused = await jobline([group, 'list']);
      expect(refused).toMatchObject({ code: 3, stdout: '' });
      expect(refused.stderr).toContain('use `jobline login`');
    }
    const environment = { JOBLINE_URL: at.proxy.url, JOBLINE_API_KEY: at.key };
    expect((await jobline(['limits', 'list'], environment)).stderr).toContain('use `jobline login`');
  });

  it('is refused once the session has ended', async () => {
    await logIn();
    const stored = read();
    await at.api.call('POST', '/auth/logout', { token: stored.token });
    const ended = await jobline(['list']);
    expect(ended).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('To start another one, use `jobline login`.'),
    });

    writeFileSync(profile(), JSON.stringify({ ...stored, expires_at: '2020-01-01T00:00:00.000Z' }));
    expect(await jobline(['list'])).toMatchObject({ code: 3, stderr: expect.stringContaining('has ended') });
    writeFileSync(profile(), '{');
    expect(await jobline(['list'])).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged') });
  });

  it('exits with 4 if the API cannot be reached, or something else answers', async () => {
    const none = await jobline(['list'], { JOBLINE_URL: 'http://127.0.0.1:9', JOBLINE_API_KEY: at.key });
    expect(none).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('cannot be reached') });
    const other = await at.world.receiver(() => ({ status: 200, body: '<html>' }));
    const html = await jobline(['list'], { JOBLINE_URL: `http://${other.host}`, JOBLINE_API_KEY: at.key });
    expect(html).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('did not come from Jobline') });
  });
});
