import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuTimeOf, createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';
import { expectEnded, idOf } from '../org/team.js';
import { addMember, expectError, keepingLogger } from '../support.js';
import { duringSwitch } from './during-switch.js';

let world: World;
let api: TestApi;
let person: Person;
let mailDir: string;
const { log, lines } = keepingLogger();

beforeAll(async () => {
  mailDir = await mkdtemp(join(tmpdir(), 'jobline-mail-'));
  world = await createWorld();
  api = await world.api({
    log,
    settings: { publicUrl: 'https://jobs.example.com' },
    providers: {
      EMAIL_SANDBOX_DIR: mailDir,
      EMAIL_DEFAULT_FROM: 'Acme <hello@jobs.example.com>',
      EMAIL_SYSTEM_FROM: 'Jobline <service@jobs.example.com>',
    },
  });
  person = await register(api.call);
});
afterAll(async () => {
  await world.end();
  await rm(mailDir, { recursive: true });
});

const forgot = (email: unknown) => api.call('POST', '/auth/forgot', { body: { email } });
const reset = (token: unknown, password: unknown = 'a new password', on = api) =>
  on.call('POST', '/auth/reset', { body: { token, password } });
const login = (email: string, password: string) => api.call('POST', '/auth/login', { body: { email, password } });
const LINK = /^https:\/\/jobs\.example\.com\/reset#token=([\w-]{43})$/m;

/** The emails to an address without the one that verifies it, the latest last. */
async function mailsTo(address: string): Promise<string[]> {
  const names = (await readdir(mailDir)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(mailDir, name), 'utf8')));
  const complete = texts.filter((text) => text.startsWith(`To: ${address}\n`) && text.endsWith('.\n'));
  return complete.filter((text) => !text.includes('\nSubject: Confirm your email address\n'));
}

/** Requests a link and reads its token from the email. */
async function mailedToken(address: string): Promise<string> {
  const before = (await mailsTo(address)).length;
  expect((await forgot(address)).status).toBe(202);
  const mails = await until('the email', async () => {
    const mails = await mailsTo(address);
    return mails.length > before && mails;
  });
  return LINK.exec(mails.at(-1) ?? '')?.[1] ?? '';
}

describe('POST /auth/forgot', () => {
  it('emails a link from the sender of the service; the database has only the hash of its token', async () => {
    const token = await mailedToken(person.email);

    const [mail = ''] = await mailsTo(person.email);
    expect(mail).toMatch(/^From: Jobline <service@jobs\.example\.com>$/m);
    expect(mail).toMatch(/^Subject: Choose a new password$/m);
    expect(mail).toContain(person.email);
    const row = await world.db.passwordReset.findFirstOrThrow({ where: { userId: await idOf(person) } });
    expect(row.expiresAt.getTime() - row.createdAt.getTime()).toBe(3_600_000);
    expect(Buffer.from(row.tokenHash).toString()).not.toContain(token);
    expect(await world.db.message.count()).toBe(0);
  });

  it('has the same response for addresses with and without an account', async () => {
    const other = await register(api.call);
    const [known, unknown] = [await forgot(` ${other.email.toUpperCase()} `), await forgot('unknown@example.com')];

    for (const answer of [known, unknown]) expect([answer.status, answer.text]).toEqual([202, '']);
    const headers = ({ headers }: typeof known) =>
      [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name) && !name.startsWith('ratelimit'));
    expect(headers(known)).toEqual(headers(unknown));
    await until('the email', async () => (await mailsTo(other.email)).length === 1);
    expect(await mailsTo('unknown@example.com')).toEqual([]);
  });

  // A difference in the work before the response could be measured as a difference in time.
  it('answers before it looks for the account', async () => {
    const other = await register(api.call);
    const statuses = await world.db.$transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE users IN ACCESS EXCLUSIVE MODE`;
      return [(await forgot(other.email)).status, (await forgot('unknown@example.com')).status];
    });
    expect(statuses).toEqual([202, 202]);
    await until('the email', async () => (await mailsTo(other.email)).length === 1);
  });

  it.each([
    [{}, ['email']],
    [{ email: 'nope', more: 1 }, ['email', 'more']],
    [{ email: { $gt: '' } }, ['email']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await api.call('POST', '/auth/forgot', { body }), 400, 'validation_failed', paths);
  });

  it('logs that an email was sent, without its content', async () => {
    const token = await mailedToken(person.email);
    const sent = lines.find(({ message, fields }) => message === 'mail sent' && fields.kind !== 'address');

    expect(sent?.fields).toEqual({ kind: 'password reset', user_id: await idOf(person), provider: 'sandbox' });
    expect(JSON.stringify(lines)).not.toContain(token);
  });

  it('has the same response when no email can be sent, and logs the reason', async () => {
    const own = keepingLogger();
    const providers = { EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_HOST: '127.0.0.1', EMAIL_SMTP_PORT: '9' };
    const mute = await world.api({ log: own.log, providers });

    const answer = await mute.call('POST', '/auth/forgot', { body: { email: person.email } });

    expect([answer.status, answer.text]).toEqual([202, '']);
    const failed = await until('the failure', async () => own.lines.find(({ message }) => message === 'mail not sent'));
    expect(failed).toMatchObject({ level: 'error', fields: { reason: expect.stringContaining('EMAIL_DEFAULT_FROM') } });
  });

  // Otherwise a stranger could keep the owner of an address from a new password, or fill the mailbox.
  it('emails at most five valid links, keeps them valid after more requests, and hides the limit', async () => {
    const user = await register(api.call);
    const first = await mailedToken(user.email);
    for (let n = 2; n <= 5; n++) await mailedToken(user.email);

    for (let n = 6; n <= 9; n++) expect((await forgot(user.email)).status).toBe(202);
    // These are processed after the requests above.
    for (let n = 0; n < 3; n++) await mailedToken((await register(api.call)).email);

    expect(await mailsTo(user.email)).toHaveLength(5);
    expect((await reset(first)).status).toBe(200);
    expect((await login(user.email, 'a new password')).status).toBe(200);
    expect(await mailedToken(user.email)).toMatch(/./);
  });

  it('does not count a link whose email could not be sent', async () => {
    const user = await register(api.call);
    const own = keepingLogger();
    const mute = await world.api({ log: own.log, providers: { EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_HOST: '127.0.0.1' } });
    const userId = await idOf(user);
    for (let n = 1; n <= 6; n++) {
      await mute.call('POST', '/auth/forgot', { body: { email: user.email } });
      const given = () => own.lines.filter(({ message }) => message === 'mail not sent').length;
      await until('the email to be dropped', async () => given() === n);
    }
    await until(
      'the links to be deleted',
      async () => (await world.db.passwordReset.count({ where: { userId } })) === 0,
    );

    expect((await reset(await mailedToken(user.email))).status).toBe(200);
  });

  it('stores emails of the sandbox so that other users of the machine cannot read them', async () => {
    await mailedToken(person.email);
    const [name = ''] = await readdir(mailDir);
    expect((await stat(join(mailDir, name))).mode & 0o077).toBe(0);
  });
});

describe('POST /auth/reset', () => {
  it('sets the password, signs in, and ends every other session here and elsewhere', async () => {
    const elsewhere = await world.api();
    const user = await addMember(world, api, person.orgId, 'admin');
    expect((await elsewhere.call('GET', '/auth/me', { token: user.token })).status).toBe(200);

    const answer = await reset(await mailedToken(user.email), 'a newly chosen one');

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token: expect.any(String),
      user: { id: expect.any(String), email: user.email, role: 'admin' },
    });
    await expectEnded(user.token, { here: api, elsewhere });
    expect((await api.call('GET', '/auth/me', { token: answer.body.token })).body.org.id).toBe(person.orgId);
    expectError(await login(user.email, user.password), 401, 'invalid_credentials');
    expect((await login(user.email, 'a newly chosen one')).status).toBe(200);
    const [entry] = (await person.get('/org/audit?action=password.reset')).body;
    expect(entry).toMatchObject({ actor: { email: user.email } });
  });

  it.each([
    [{}, ['token', 'password']],
    [{ token: 1, password: 2, more: 3 }, ['token', 'password', 'more']],
    [{ token: 'x', password: 'seven77' }, ['password']],
    [{ token: 'x', password: 'x'.repeat(73) }, ['password']],
  ])('rejects %j and lists every issue', async (body, paths) => {
    expectError(await api.call('POST', '/auth/reset', { body }), 400, 'validation_failed', paths);
  });

  it('has the same error for an unknown, a used, a replaced and an expired link', async () => {
    const user = await register(api.call);
    const ended = await mailedToken(user.email);
    const used = await mailedToken(user.email);
    expect((await reset(used)).status).toBe(200);
    const expired = await mailedToken(user.email);
    await world.db.passwordReset.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });

    const answers = [await reset('nope'), await reset(ended), await reset(used), await reset(expired)];

    for (const answer of answers) expectError(answer, 404, 'not_found');
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
    expect((await login(user.email, 'a new password')).status).toBe(200);
  });

  it('accepts one of 20 simultaneous uses of a link', async () => {
    const user = await register(api.call);
    const token = await mailedToken(user.email);

    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => reset(token, `password ${n}`)));

    const winner = answers.findIndex(({ status }) => status === 200);
    for (const answer of answers.filter((_, n) => n !== winner)) expectError(answer, 404, 'not_found');
    expect((await login(user.email, `password ${winner}`)).status).toBe(200);
    expect(await world.db.session.count({ where: { orgId: user.orgId } })).toBe(2);
  });

  it('rejects a link after the password was changed', async () => {
    const user = await register(api.call);
    const token = await mailedToken(user.email);
    const change = { current_password: user.password, new_password: 'changed by hand' };
    expect((await user.post('/auth/password', change)).status).toBe(204);

    expectError(await reset(token), 404, 'not_found');
    expect((await login(user.email, 'changed by hand')).status).toBe(200);
  });

  // A login that verified the old password just before must not stay valid.
  it('ends every session of the old password, also of simultaneous logins', async () => {
    const user = await register(api.call);
    const token = await mailedToken(user.email);
    const logins = Array.from({ length: 12 }, () => login(user.email, user.password));

    expect((await reset(token)).status).toBe(200);
    await Promise.all(logins);

    expect(await world.db.session.count({ where: { orgId: user.orgId } })).toBe(1);
  });

  // A stolen session must not stay valid by switching to another organization at that moment.
  it('ends the session that another one is being switched to', async () => {
    const user = await register(api.call);
    const token = await mailedToken(user.email);

    expect((await duringSwitch(world, user.token, () => reset(token))).status).toBe(200);

    expect(await world.db.session.count({ where: { orgId: user.orgId } })).toBe(1);
  });

  it('sets the password of a user without an organization, without a session', async () => {
    const user = await register(api.call);
    const userId = await idOf(user);
    await world.db.membership.deleteMany({ where: { userId } });

    const answer = await reset(await mailedToken(user.email), 'for later');

    expect([answer.status, answer.text]).toEqual([204, '']);
    const invite = await person.post('/org/invite', { email: user.email, role: 'member' });
    const token = new URL(invite.body.invite_url).searchParams.get('token');
    const accepted = await api.call('POST', '/invite/accept', { body: { token, password: 'for later' } });
    expect(accepted.body.user.id).toBe(userId);
  });

  it('computes no password hash for an invalid token', async () => {
    const dear = await world.api({ settings: { passwordCost: 14 } });
    const token = await mailedToken((await register(api.call)).email);

    const bad = await cpuTimeOf(async () => {
      for (let n = 0; n < 10; n++) await reset(`unknown-${n}`, 'a new password', dear);
    });

    // Ten hashes would take ten times as long as the one of a valid token.
    expect(bad).toBeLessThan((await cpuTimeOf(() => reset(token, 'a new password', dear))) / 2);
  });
});

it('a link that has expired is deleted', async () => {
  const user = await register(api.call);
  await mailedToken(user.email);
  const kept = await register(api.call);
  await mailedToken(kept.email);
  const userId = await idOf(user);
  await world.db.passwordReset.updateMany({ where: { userId }, data: { expiresAt: new Date(Date.now() - 1_000) } });

  await world.worker();
  await until('the link to be deleted', async () => (await world.db.passwordReset.count({ where: { userId } })) === 0);

  expect(await world.db.passwordReset.count({ where: { userId: await idOf(kept) } })).toBe(1);
});
