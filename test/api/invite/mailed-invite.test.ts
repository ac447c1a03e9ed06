import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';
import { accept, expectEnded, expire, hashOf, idOf, inviteToken } from '../org/team.js';
import { addMember, expectError, keepingLogger, verifyAddresses } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;
let mailDir: string;
const { log, lines } = keepingLogger();

beforeAll(async () => {
  mailDir = await mkdtemp(join(tmpdir(), 'jobline-invites-'));
  world = await createWorld();
  api = await world.api({
    log,
    settings: { publicUrl: 'https://jobs.example.com' },
    providers: { EMAIL_SANDBOX_DIR: mailDir, EMAIL_SYSTEM_FROM: 'Jobline <service@jobs.example.com>' },
  });
  owner = await register(api.call);
});
afterAll(async () => {
  await world.end();
  await rm(mailDir, { recursive: true });
});

const reset = (token: string, password = 'of the owner') =>
  api.call('POST', '/auth/reset', { body: { token, password } });
const login = (email: string, password: string) => api.call('POST', '/auth/login', { body: { email, password } });
const isProved = async (email: string) =>
  (await world.db.user.findUniqueOrThrow({ where: { email } })).provedAt !== null;

/** The complete emails to an address without the one that verifies it, the latest last. */
async function mailsTo(address: string): Promise<string[]> {
  const names = (await readdir(mailDir)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(mailDir, name), 'utf8')));
  const complete = texts.filter((text) => text.startsWith(`To: ${address}\n`) && text.endsWith('.\n'));
  return complete.filter((text) => !text.includes('\nSubject: Confirm your email address\n'));
}

/** Invites an address. Returns the token shown to the inviter and the one that is emailed. */
async function invite(by: Person, email: string): Promise<{ shown: string; mailed: string; mail: string }> {
  const before = (await mailsTo(email)).length;
  const shown = await inviteToken(by, email);
  const mails = await until('the email', async () => {
    const all = await mailsTo(email);
    return all.length > before && all;
  });
  const mail = mails.at(-1) ?? '';
  return { shown, mailed: /^https:\/\/jobs\.example\.com\/join#token=([\w-]{43})$/m.exec(mail)?.[1] ?? '', mail };
}

describe('an invite', () => {
  it('is emailed with its own token, of which the database has only the hash', async () => {
    const { shown, mailed, mail } = await invite(owner, 'new@mailed.example');

    expect(mail).toMatch(/^From: Jobline <service@jobs\.example\.com>$/m);
    expect(mail).toContain('A user whose email address is not verified invites you, new@mailed.example,');
    expect(mail).not.toContain(owner.email); // it may be the address of another person
    expect(mail).not.toMatch(/Org \d|\/reset/); // no name that its owner has chosen; no account, so nothing to reset
    expect(mailed).toMatch(/./);
    expect(mailed).not.toBe(shown);
    for (const token of [shown, mailed]) expect((await api.call('GET', `/invite?token=${token}`)).status).toBe(200);
    const row = await world.db.invite.findFirstOrThrow({ where: { email: 'new@mailed.example' } });
    expect(row.mailTokenHash).toEqual(hashOf(mailed));
    const sent = lines.find(({ message, fields }) => message === 'mail sent' && fields.kind !== 'address');
    expect(sent?.fields).toEqual({ kind: 'invite', invite_id: row.id, provider: 'sandbox' });
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${mailed}|new@mailed`));
    expect(await world.db.message.count()).toBe(0);
  });

  it('names its inviter if the address of the inviter is verified', async () => {
    const inviter = await register(api.call);
    await verifyAddresses(world, inviter);
    const { mail } = await invite(inviter, 'named@mailed.example');
    expect(mail).toContain(`${inviter.email} invites you, named@mailed.example,`);
  });

  it('can be accepted once, with either of its tokens; only the emailed one proves the address', async () => {
    const one = await invite(owner, 'shown@mailed.example');
    const other = await invite(owner, 'read@mailed.example');

    expect((await accept(api, one.shown)).status).toBe(200);
    expect((await accept(api, other.mailed)).status).toBe(200);

    expectError(await accept(api, one.mailed), 410, 'invite_consumed');
    expectError(await accept(api, other.shown), 410, 'invite_consumed');
    expect([await isProved('shown@mailed.example'), await isProved('read@mailed.example')]).toEqual([false, true]);
  });

  it('requires the password of an existing account, and proves its address with the emailed token', async () => {
    const known = await register(api.call);
    const { mailed } = await invite(owner, known.email);

    expectError(await accept(api, mailed, 'another password'), 401, 'invalid_credentials');
    expect(await isProved(known.email)).toBe(false);
    expect((await accept(api, mailed, known.password)).status).toBe(200);

    expect(await isProved(known.email)).toBe(true);
    expect((await known.get('/auth/me')).body.orgs).toHaveLength(2);
  });

  it('is valid only with the latest emailed token after it is replaced', async () => {
    const first = await invite(owner, 'twice@mailed.example');
    const second = await invite(owner, 'twice@mailed.example');

    expectError(await accept(api, first.mailed), 404, 'invite_not_found');
    expect((await accept(api, second.mailed)).status).toBe(200);
  });

  it('is emailed to one address at most ten times a day; the links shown to inviters stay valid', async () => {
    const email = 'flooded@mailed.example';
    for (let n = 0; n < 10; n++) await invite(n % 2 === 0 ? owner : await register(api.call), email);

    const shown = await inviteToken(owner, email);
    await invite(owner, 'after@mailed.example'); // was processed after that one

    expect(await mailsTo(email)).toHaveLength(10);
    expect((await accept(api, shown)).status).toBe(200);
  });

  it('is shown and not emailed if the service has no sender', async () => {
    const own = keepingLogger();
    const mute = await world.api({ log: own.log, providers: { EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_HOST: '127.0.0.1' } });
    const body = { email: 'mute@mailed.example', role: 'member' };

    expect((await mute.call('POST', '/org/invite', { token: owner.token, body })).status).toBe(201);
    expect((await world.db.invite.findFirstOrThrow({ where: { email: body.email } })).mailTokenHash).toBeNull();
    expect(own.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('an account that another person created beforehand', () => {
  /** A stranger creates the account of an address by inviting it into their own organization. */
  async function preempted(email: string): Promise<{ stranger: Person; token: string }> {
    const stranger = await register(api.call);
    const { shown } = await invite(stranger, email);
    const taken = await accept(api, shown, 'of the stranger');
    expect(taken.status).toBe(200);
    return { stranger, token: taken.body.token };
  }

  it('passes to the owner of its address with the emailed invite, without old sessions or memberships', async () => {
    const email = 'cfo@mailed.example';
    const { stranger, token } = await preempted(email);
    const elsewhere = await world.api();
    expect((await elsewhere.call('GET', '/auth/me', { token })).status).toBe(200);
    const { mailed, mail } = await invite(owner, email);
    expect(mail).toMatch(new RegExp(`^https://jobs\\.example\\.com/reset#token=${mailed}$`, 'm'));

    const answer = await reset(mailed);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ token: expect.any(String), user: { id: expect.any(String), email, role: 'member' } });
    const me = await api.call('GET', '/auth/me', { token: answer.body.token });
    expect(me.body.orgs.map(({ id }: { id: string }) => id)).toEqual([owner.orgId]);
    await expectEnded(token, { here: api, elsewhere });
    expectError(await login(email, 'of the stranger'), 401, 'invalid_credentials');
    expect((await login(email, 'of the owner')).body.user.email).toBe(email);
    expect(await isProved(email)).toBe(true);
    const { id } = answer.body.user;
    expect((await stranger.get('/org/members')).body).toHaveLength(1);
    const audit = (await stranger.get('/org/audit')).body;
    expect(audit[0]).toMatchObject({
      action: 'member.removed',
      target: { id, name: email },
      ip: null,
      request_id: null,
    });
    for (const action of ['password.reset', 'invite.accepted']) {
      const [entry] = (await owner.get(`/org/audit?action=${action}`)).body;
      expect(entry).toMatchObject({ actor: { id, email }, ip: '127.0.0.1' });
    }
  });

  it('cannot be taken over with the shown link, with an expired link, or after it is proved', async () => {
    const email = 'held@mailed.example';
    await preempted(email);
    const { shown, mailed } = await invite(owner, email);
    expectError(await reset(shown), 404, 'not_found');
    await expire(world, shown);
    expectError(await reset(mailed), 404, 'not_found');
    const again = await invite(owner, email);
    expectError(await reset(mailed), 404, 'not_found');
    await world.db.user.update({ where: { email }, data: { provedAt: new Date() } });
    expectError(await reset(again.mailed), 404, 'not_found');

    expect((await login(email, 'of the stranger')).status).toBe(200);
    expect((await accept(api, again.mailed, 'of the stranger')).status).toBe(200);
  });

  it('keeps the ownership only of an organization without another owner', async () => {
    const account = await register(api.call);
    await addMember(world, api, account.orgId, 'member');
    const other = await register(api.call);
    await world.db.membership.create({ data: { orgId: other.orgId, userId: await idOf(account), role: 'owner' } });
    const { mailed } = await invite(owner, account.email);

    const answer = await reset(mailed);

    const me = await api.call('GET', '/auth/me', { token: answer.body.token });
    expect(me.body.orgs.map(({ id, role }: { id: string; role: string }) => [id, role])).toEqual([
      [owner.orgId, 'member'],
      [account.orgId, 'owner'],
    ]);
    expect((await other.get('/org/members')).body).toHaveLength(1);
  });

  it('loses the invites that it issued where it was an owner', async () => {
    const account = await register(api.call);
    const other = await register(api.call);
    await world.db.membership.create({ data: { orgId: other.orgId, userId: await idOf(account), role: 'owner' } });
    const back = await api.call('POST', '/auth/switch', { token: account.token, body: { org_id: other.orgId } });
    const asOwner = await api.call('POST', '/org/invite', {
      token: back.body.token,
      body: { email: 'issued@mailed.example', role: 'admin' },
    });
    const { mailed } = await invite(owner, account.email);

    expect((await reset(mailed)).status).toBe(200);

    const issuedToken = new URL(asOwner.body.invite_url).searchParams.get('token') ?? '';
    expectError(await accept(api, issuedToken), 404, 'invite_not_found');
  });

  it('accepts one of 10 simultaneous uses of the link', async () => {
    const email = 'many@mailed.example';
    await preempted(email);
    const { mailed } = await invite(owner, email);

    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => reset(mailed, `password ${n}`)));

    const winner = answers.findIndex(({ status }) => status === 200);
    for (const answer of answers.filter((_, n) => n !== winner)) expectError(answer, 404, 'not_found');
    expect((await login(email, `password ${winner}`)).status).toBe(200);
  });
});

it('the link to a new password proves the address and does not change the memberships', async () => {
  const user = await addMember(world, api, owner.orgId, 'admin');
  const before = (await user.get('/auth/me')).body.orgs;
  expect((await api.call('POST', '/auth/forgot', { body: { email: user.email } })).status).toBe(202);
  const [mail = ''] = await until('the email', async () => {
    const all = await mailsTo(user.email);
    return all.length > 0 && all;
  });
  const token = /\/reset#token=([\w-]{43})$/m.exec(mail)?.[1] ?? '';

  const answer = await reset(token);

  expect(await isProved(user.email)).toBe(true);
  expect((await api.call('GET', '/auth/me', { token: answer.body.token })).body.orgs).toEqual(before);
});
