import { randomUUID } from 'node:crypto';
import { QUOTAS } from '@jobline/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let full: Person;

const count = QUOTAS.templates - 1;

/** An organization that has one less than the limit of each. */
beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  full = await register(api.call);
  const { orgId } = full;
  const rows = <T>(make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
  await world.db.template.createMany({
    data: rows((n) => ({ orgId, name: `t${n}`, kind: 'sms' as const, body: 'x', variables: [] })),
  });
  await world.db.domain.createMany({ data: rows((n) => ({ orgId, domain: `d${n}.example`, token: 'x' })) });
  await world.db.senderId.createMany({ data: rows((n) => ({ orgId, senderId: `S${n}` })) });
  await world.db.apiKey.createMany({
    data: rows(() => ({ orgId, name: 'x', prefix: 'jl_x', hash: new TextEncoder().encode(randomUUID()) })),
  });
});
afterAll(() => world.end());

it.each([
  ['templates', '/org/templates', (n: number) => ({ name: `new ${n}`, kind: 'sms', body: 'x' })],
  ['domains', '/org/domains', (n: number) => ({ domain: `new${n}.example` })],
  ['sender ids', '/org/sender-ids', (n: number) => ({ sender_id: `New${n}` })],
  ['API keys', '/org/api-keys', (n: number) => ({ name: `new ${n}` })],
])(
  'an organization has at most 1,000 %s, no matter how many are requested at the same moment',
  async (what, path, body) => {
    const answers = await Promise.all([1, 2, 3].map((n) => full.post(path, body(n))));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = await full.post(path, body(4));
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.message).toContain(`1000 ${what}`);
    const other = await register(api.call);
    expect((await other.post(path, body(5))).status).toBe(201);
  },
);
