import type { OrgId } from '@jobline/contracts';
import { countUnreadableSecrets, resealSecrets } from '@jobline/db';
import { createSecretCipher } from '@jobline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  type Receiver,
  register,
  spawnApi,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

const OLD = 'kX8wVq2mZr5tYb9cNd4fGh7jLp1sAe6u';
const NEW = 'Qe3rTy6uIo9pAs2dFg5hJk8lZx1cVb4n';

let world: World;
let receiver: Receiver;
beforeAll(async () => {
  world = await createWorld();
  receiver = await world.receiver();
});
afterAll(() => world.end());

/** The secrets as the table stores them, the latest first. */
async function stored({ orgId }: Person): Promise<string[]> {
  const rows = await world.db.webhookSecret.findMany({ where: { orgId }, orderBy: { createdAt: 'desc' } });
  return rows.map(({ secret }) => secret);
}

const current = async (person: Person): Promise<string> => (await person.get('/org/webhook-secret')).body.secret;

async function deliver(person: Person): Promise<{ status: string; signatures: string[] }> {
  const before = receiver.received.length;
  const id = await submitJob(person, 'webhook', { url: `${receiver.url}/hook`, payload: {} }, { max_retries: 0 });
  const { job } = await finishedJob(person, id);
  const signatures = String(receiver.received[before]?.headers['webhook-signature'] ?? '').split(' ');
  return { status: job.status, signatures: signatures.filter(Boolean) };
}

it('webhook secrets are encrypted in the database, are shown and sign in clear text, and survive a change of the key', async () => {
  const plain = await world.api();
  const person = await register(plain.call);
  const secret = await current(person);
  expect(await stored(person)).toEqual([secret]);

  const old = createSecretCipher([OLD]);
  expect(await resealSecrets(world.db, old)).toBe(1);
  expect(await resealSecrets(world.db, old)).toBe(0);
  expect((await stored(person)).join()).not.toContain('whsec_');

  // The key is exchanged: for a while the API and the worker have both.
  const api = await world.api({ encryptionKeys: [NEW, OLD] });
  const seenBy = { ...person, get: (path: string) => api.call('GET', path, { token: person.token }) };
  expect(await current(seenBy)).toBe(secret);
  const rotated = (await api.call('POST', '/org/webhook-secret/rotate', { token: person.token })).body.secret;
  const both = createSecretCipher([NEW, OLD]);
  expect(await resealSecrets(world.db, both)).toBe(1);
  const sealed = await stored(person);
  expect(sealed).toHaveLength(2);
  for (const text of sealed) expect(text.startsWith(both.currentPrefix ?? '?')).toBe(true);
  expect(await countUnreadableSecrets(world.db, createSecretCipher([NEW]))).toBe(0);
  expect(await countUnreadableSecrets(world.db, old)).toBe(2);

  const worker = await world.worker({ encryptionKeys: [NEW], allowHosts: [receiver.host] });
  expect(await deliver(person)).toEqual({ status: 'done', signatures: [expect.any(String), expect.any(String)] });
  expect(await current(seenBy)).toBe(rotated);
  await worker.stop(0);

  // A worker without the key does not sign at all, because a wrong signature would be worse.
  await world.worker({ allowHosts: [receiver.host] });
  expect(await deliver(person)).toEqual({ status: 'failed', signatures: [] });
  const moved = await register(plain.call);
  await world.db.webhookSecret.updateMany({ where: { orgId: moved.orgId }, data: { secret: sealed[0] ?? '' } });
  expect((await api.call('GET', '/org/webhook-secret', { token: moved.token })).status).toBe(500);
});

it('an API encrypts stored secrets at its start, and reports those that it cannot read', async () => {
  const plain = await world.api();
  const [person, other] = [await register(plain.call), await register(plain.call)];
  const lost = createSecretCipher([OLD]).seal('whsec_lost', other.orgId as OrgId); // as the API gave it
  await world.db.webhookSecret.updateMany({ where: { orgId: other.orgId }, data: { secret: lost } });

  const api = await spawnApi({ DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl, ENCRYPTION_KEY: NEW });
  try {
    await until('the secrets to be encrypted', () => api.output().includes('now encrypted with the current key'));

    expect((await stored(person)).join()).toMatch(/^sealed:v1:/);
    expect(await stored(other)).toEqual([lost]);
    expect(api.output()).toMatch(/\d webhook secrets are encrypted with keys that ENCRYPTION_KEY does not contain/);
    expect(api.output()).not.toMatch(/whsec_|sealed:v1|Qe3r/);
  } finally {
    await api.kill('SIGTERM');
  }
});
