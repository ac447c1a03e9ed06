import type { OrgId } from '@jobline/contracts';
import { activeWebhookSecrets } from '@jobline/db';
import { createSecretCipher } from '@jobline/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

const rotate = async (person: Person): Promise<string> => (await person.post('/org/webhook-secret/rotate')).body.secret;
const current = async (person: Person): Promise<string> => (await person.get('/org/webhook-secret')).body.secret;
// The cast: the API returned it as an organization's id.
const active = (person: Person) => activeWebhookSecrets(world.db, person.orgId as OrgId, createSecretCipher([]));

describe('the webhook secret', () => {
  it('has 32 random bytes, and differs in every organization', async () => {
    const people = [await register(api.call), await register(api.call)];
    const secrets = await Promise.all(people.map(current));

    for (const secret of secrets) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(secrets[0]).not.toBe(secrets[1]);
  });

  it('signs for another day after its rotation, in addition to the new one', async () => {
    const person = await register(api.call);
    const first = await current(person);

    const second = await rotate(person);
    expect(await current(person)).toBe(second);
    expect(await active(person)).toEqual([second, first]);

    const third = await rotate(person);
    expect(await active(person)).toEqual([third, second, first]);
    await world.db
      .$executeRaw`UPDATE webhook_secrets SET retires_at = retires_at - interval '24 hours' WHERE secret = ${first}`;
    expect(await active(person)).toEqual([third, second]);
  });

  it('has one current value after 10 simultaneous rotations', async () => {
    const person = await register(api.call);
    const rotated = await Promise.all(Array.from({ length: 10 }, () => rotate(person)));

    expect(rotated).toContain(await current(person));
    expect(await world.db.webhookSecret.count({ where: { orgId: person.orgId, retiresAt: null } })).toBe(1);
    expect(await active(person)).toHaveLength(11);
  });

  it('has at most 16 signing values: a further rotation retires the oldest immediately', async () => {
    const person = await register(api.call);
    const newestFirst = [await current(person)];
    for (let n = 0; n < 20; n++) newestFirst.unshift(await rotate(person));

    expect(await active(person)).toEqual(newestFirst.slice(0, 16));
    expect(await world.db.webhookSecret.count({ where: { orgId: person.orgId } })).toBe(16);
  });

  it('is deleted once it no longer signs, and not before', async () => {
    const person = await register(api.call);
    const first = await current(person);
    const second = await rotate(person);
    const third = await rotate(person);
    await world.db
      .$executeRaw`UPDATE webhook_secrets SET retires_at = now() - interval '1 second' WHERE secret = ${first}`;

    await world.worker();
    await until(
      'the secret to be deleted',
      async () => (await world.db.webhookSecret.count({ where: { secret: first } })) === 0,
    );
    expect(await active(person)).toEqual([third, second]);
  });
});
