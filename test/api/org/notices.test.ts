import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrgId, UserId } from '@jobline/contracts';
import { countNotice, disableWebhook, FIRST_ID, startProof, takeDisabledWebhooks } from '@jobline/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';
import { expectError, expectUnauthenticated, verifyAddresses } from '../support.js';
import { hashOf, idOf } from './team.js';

let world: World;
let api: TestApi;
let mailDir: string;

beforeAll(async () => {
  mailDir = await mkdtemp(join(tmpdir(), 'jobline-notices-'));
  world = await createWorld();
  api = await world.api({
    settings: { publicUrl: 'https://jobs.example.com' },
    providers: { EMAIL_SANDBOX_DIR: mailDir, EMAIL_SYSTEM_FROM: 'Jobline <service@jobs.example.com>' },
  });
});
afterAll(async () => {
  await world.end();
  await rm(mailDir, { recursive: true });
});

const LINK = /^https:\/\/jobs\.example\.com\/verify#token=([\w-]{43})$/m;

/** The complete emails to an address, the latest last. */
async function mailsTo(address: string): Promise<string[]> {
  const names = (await readdir(mailDir)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(mailDir, name), 'utf8')));
  return texts.filter((text) => text.startsWith(`To: ${address}\n`) && text.endsWith('.\n'));
}

/** The token of the latest link that was mailed to a person, when there are this many emails. */
async function mailedToken({ email }: Person, count = 1): Promise<string> {
  const mails = await until('the email', async () => {
    const mails = await mailsTo(email);
    return mails.length === count && mails;
  });
  return LINK.exec(mails.at(-1) ?? '')?.[1] ?? '';
}

const verify = (person: Person, token: string) => person.post('/auth/verify', { token });
const isVerified = async (person: Person) => (await person.get('/org/members')).body[0].email_verified;
/** Lets a day pass after the latest link of a person. */
const aDayLater = ({ email }: Person) =>
  world.db.user.update({ where: { email }, data: { proofMailedAt: new Date(Date.now() - 86_400_000) } });

async function createHook(person: Person, host = 'hooks.example.com'): Promise<string> {
  return (await person.post('/org/webhooks', { url: `https://${host}/`, events: ['*'] })).body.id;
}
const disable = (id: string) => world.db.$transaction((tx) => disableWebhook(tx, id, 'it answered 410'));
const isMailDue = async (id: string) => (await world.db.webhook.findUniqueOrThrow({ where: { id } })).isMailDue;

describe('the address of a new account', () => {
  it('is verified with the link that registration emails, once, and only by the user of the account', async () => {
    const [person, stranger] = [await register(api.call), await register(api.call)];
    const token = await mailedToken(person);
    expect(await isVerified(person)).toBe(false);

    expectUnauthenticated(await api.call('POST', '/auth/verify', { body: { token } }));
    expectError(await verify(stranger, token), 404, 'not_found');
    expectError(await verify(person, `${token}x`), 404, 'not_found');
    expect(await isVerified(person)).toBe(false);

    expect((await verify(person, token)).status).toBe(204);
    expect(await isVerified(person)).toBe(true);
    expect((await person.get('/org/members')).body).toMatchObject([{ email: person.email, email_verified: true }]);
    expectError(await verify(person, token), 404, 'not_found');
    const user = await world.db.user.findUniqueOrThrow({ where: { email: person.email } });
    expect(JSON.stringify(user)).not.toContain(token);
  });

  it('is not verified with a link that is older than 72 hours or was replaced', async () => {
    const person = await register(api.call);
    const first = await mailedToken(person);
    await world.db
      .$executeRaw`UPDATE users SET proof_mailed_at = now() - interval '72 hours' WHERE email = ${person.email}`;
    expectError(await verify(person, first), 404, 'not_found');

    expect((await person.post('/auth/verify/send')).status).toBe(202);
    const second = await mailedToken(person, 2);
    expectError(await verify(person, first), 404, 'not_found');
    expect((await verify(person, second)).status).toBe(204);
  });

  it('gets a link on request, at most once a day, also with simultaneous requests', async () => {
    const person = await register(api.call);
    await mailedToken(person);
    expectError(await person.post('/auth/verify/send'), 409, 'conflict');

    await aDayLater(person);
    const id = (await idOf(person)) as UserId;
    const hashes = Array.from({ length: 20 }, (_, n) => hashOf(`token ${n}`));
    const started = await Promise.all(hashes.map((hash) => startProof(world.db, id, hash)));
    expect(started.filter((email) => email !== null)).toEqual([person.email]);
  });

  it('is not needed for an installation that sends no emails', async () => {
    const mute = await world.api({ providers: { EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_HOST: '127.0.0.1' } });
    const person = await register(mute.call);
    expectError(await person.post('/auth/verify/send'), 409, 'conflict');
    expect((await person.get('/jobs')).status).toBe(200);
  });
});

describe('a notice', () => {
  it('to an unverified address is one email a day with the link that verifies it, without the words of others', async () => {
    const orgName = 'URGENT: call +1-555-0100 or open https://evil.example/unlock';
    const victim = await register(api.call, { orgName });
    await mailedToken(victim);
    await aDayLater(victim);
    const hooks = [await createHook(victim, 'call-1-555-0100.evil.example'), await createHook(victim)];
    for (const id of hooks) await disable(id);

    const token = await mailedToken(victim, 2);
    await until('both notices', async () => (await Promise.all(hooks.map(isMailDue))).every((isDue) => !isDue));
    const mails = await mailsTo(victim.email);
    expect(mails).toHaveLength(2);
    expect(mails.join()).not.toMatch(/URGENT|evil|555|hooks\.example/);
    expect(mails[1]).toContain('A webhook of your organization was disabled.');
    expect((await verify(victim, token)).status).toBe(204);
  });

  it('about a webhook is sent once a day, however often it is disabled', async () => {
    const person = await register(api.call);
    const id = await createHook(person);
    await verifyAddresses(world, person);
    await disable(id);
    await until('the notice', async () => !(await isMailDue(id)));
    await person.patch(`/org/webhooks/${id}`, { enabled: true });
    await disable(id);
    expect(await isMailDue(id)).toBe(false);

    await world.db.$executeRaw`UPDATE webhooks SET mailed_at = mailed_at - interval '1 day' WHERE id = ${id}::uuid`;
    await person.patch(`/org/webhooks/${id}`, { enabled: true });
    await disable(id);
    expect(await isMailDue(id)).toBe(true);
  });

  it('reaches a verified address ten times a day and kind, also with simultaneous processes', async () => {
    const person = await register(api.call);
    const id = (await idOf(person)) as UserId;
    expect(await countNotice(world.db, id, 'alert')).toBeNull();
    await verifyAddresses(world, person);

    const count = async () => {
      const counted = await Promise.all(Array.from({ length: 25 }, () => countNotice(world.db, id, 'alert')));
      return counted.filter((email) => email === person.email).length;
    };
    expect(await count()).toBe(10);
    expect(await count()).toBe(0);
    expect(await countNotice(world.db, id, 'webhook')).toBe(person.email);

    // The oldest three are a day old.
    await world.db.$executeRaw`
      UPDATE users SET alert_mails[1] = now() - interval '1 day', alert_mails[2] = now() - interval '1 day',
        alert_mails[3] = now() - interval '1 day' WHERE id = ${id}::uuid`;
    expect(await count()).toBe(3);
  });

  it('does not wait for the notices of another organization', async () => {
    const own = await createWorld();
    try {
      // Without a sender for its emails, this process takes no notices that the test waits for.
      const quiet = await own.api();
      const [many, one] = [await register(quiet.call), await register(quiet.call)];
      const due = async (person: Person, n: number) => {
        const { id } = await own.db.webhook.create({
          data: {
            id: `00000000-0000-7000-8000-0000000000${10 + n}`,
            orgId: person.orgId,
            url: 'https://hooks.example.com',
            enabled: false,
            events: [],
            createdAt: new Date(),
          },
        });
        return id;
      };
      const first = await Promise.all([0, 1, 2, 3, 4, 5].map((n) => due(many, n)));
      const last = await due(one, 9);
      const taken = await own.db.$transaction(async (tx) => {
        await tx.$executeRaw`UPDATE webhooks SET is_mail_due = true`;
        return takeDisabledWebhooks(tx, FIRST_ID as OrgId, 2);
      });
      expect(taken.map(({ id }) => id).sort()).toEqual([first[0], last]);
    } finally {
      await own.end();
    }
  });
});
