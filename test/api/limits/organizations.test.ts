import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { addMember, expectError, newKey } from '../support.js';

let world: World;
let api: TestApi;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api({ limits: { submitPerS: 5, sendPerMin: 3 } });
});
afterAll(() => world.end());

const JOB = { type: 'x', payload: {} };
const LARGE = 'x'.repeat(2 << 20);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function expectLimited(answer: Answered, limit: number): void {
  expectError(answer, 429, 'rate_limited');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.headers.get('ratelimit-limit')).toBe(String(limit));
  expect(answer.headers.get('ratelimit-remaining')).toBe('0');
  expect(Number(answer.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
}

/** Submits until a submission is limited, without pauses. */
async function submitTooMuch(person: Person): Promise<Answered> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 12 }, () => person.post('/jobs', JOB)));
    const refused = answers.find(({ status }) => status === 429);
    if (refused) return refused;
  }
}

/** Uses more jobs than the limit allows in a minute. */
async function useUp(person: Person): Promise<void> {
  const answer = await person.post('/jobs/batch', { jobs: Array.from({ length: 305 }, () => JOB) });
  expect(answer.status, answer.text).toBe(202);
}

describe('the submissions of an organization', () => {
  it('are accepted up to the rate per second, then rejected, and accepted again after the announced time', async () => {
    const person = await register(api.call);
    const first = await person.post('/jobs', JOB);
    expect(first.status).toBe(202);
    expect(first.headers.get('ratelimit-limit')).toBe('5');
    expect(first.headers.get('ratelimit-remaining')).toBe('4');
    expect(first.headers.get('ratelimit-reset')).toBe('1');

    expectLimited(await submitTooMuch(person), 5);
    await until('submissions to be accepted', async () => (await person.post('/jobs', JOB)).status === 202);
  });

  it('are counted for tokens and keys together, and for no other organization', async () => {
    const [person, other] = [await register(api.call), await register(api.call)];
    const { key } = await newKey(person);
    const submit = () => api.call('POST', '/jobs', { key, body: JOB });
    expect((await submit()).status).toBe(202);

    await useUp(person);
    expectLimited(await submit(), 5);
    expect((await other.post('/jobs', JOB)).status).toBe(202);
    expect((await person.get('/jobs')).status).toBe(200);
  });

  it('count every job of a batch; a batch above the rate is accepted and delays later submissions', async () => {
    const person = await register(api.call);
    const answer = await person.post('/jobs/batch', { jobs: Array.from({ length: 1_000 }, () => JOB) });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');

    const refused = await person.post('/jobs', JOB);
    expectLimited(refused, 5);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(150);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(200);
    expectLimited(await person.post('/jobs/batch', { jobs: [JOB] }), 5);
  });

  it('are limited after the credential is checked, and before the body is read', async () => {
    const person = await register(api.call);
    await useUp(person);

    const submit = (options: object) => api.call('POST', '/jobs', { token: person.token, ...options });
    for (const options of [{ raw: LARGE }, { raw: 'a=b', headers: FORM }, { raw: '{' }, { body: {} }]) {
      expectLimited(await submit(options), 5);
    }
    expectError(await submit({ token: 'none', raw: LARGE }), 401, 'unauthenticated');
  });

  it('share one rate across two API processes', async () => {
    const limits = { submitPerS: 100 };
    const apis = [await world.api({ limits }), await world.api({ limits })];
    const person = await register(api.call);
    let accepted = 0;
    const startedAt = performance.now();
    const callers = apis.flatMap(({ call }) =>
      Array.from({ length: 4 }, async () => {
        while (accepted < 600) {
          await until('a submission to be accepted', async () => {
            const answer = await call('POST', '/jobs', { token: person.token, body: JOB });
            if (answer.status === 202) accepted++;
            return answer.status === 202 || accepted >= 600;
          });
        }
      }),
    );
    await Promise.all(callers);
    const tookS = (performance.now() - startedAt) / 1_000;

    // Both processes begin with the jobs of one second, and may use the other's share until they have synchronized.
    // If each kept its own rate, they would accept 600 in two seconds. A slow machine takes longer, and may
    // accept more.
    expect(accepted).toBeLessThanOrEqual(100 * (tookS + 2 + 1));
  });
});

describe('the direct sends of an organization', () => {
  it('are accepted up to the limit per minute, SMS and email together', async () => {
    const person = await register(api.call);
    const sms = () => person.post('/sms/send', { to: '+254711000111', message: 'hi' });
    const email = () => person.post('/email/send', { to: 'a@example.com', subject: 'hi', body: 'hi' });
    expect((await sms()).headers.get('ratelimit-remaining')).toBe('2');
    expect((await email()).status).toBe(200);
    expect((await sms()).status).toBe(200);

    const refused = await email();
    expectLimited(refused, 3);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expectLimited(await sms(), 3);
    expectLimited(await person.post('/sms/send', {}), 3);
    expect((await person.get('/sms/messages')).status).toBe(200);
    expect((await person.post('/jobs', JOB)).status).toBe(202);
  });

  it('count each recipient of an email', async () => {
    const person = await register(api.call);
    const email = { to: 'a@example.com', cc: ['b@example.com'], subject: 'hi', body: 'hi' };

    expectLimited(await person.post('/email/send', { ...email, bcc: ['c@example.com', 'd@example.com'] }), 3);
    const other = await register(api.call);
    expect((await other.post('/email/send', { ...email, bcc: ['c@example.com'] })).status).toBe(200);
    expectLimited(await other.post('/email/send', { ...email, cc: [] }), 3);
  });
});

describe('the domain verifications of an organization', () => {
  it('are rejected beyond 30 a minute: after the role is checked, before the domain is looked up', async () => {
    const owner = await register(api.call);
    const member = await addMember(world, api, owner.orgId, 'member');
    const path = '/org/domains/00000000-0000-0000-0000-000000000000/verify';
    for (let n = 0; n < 30; n++) expectError(await owner.post(path), 404, 'not_found');

    expectLimited(await owner.post(path), 30);
    expectError(await member.post(path), 403, 'forbidden');
  });
});

describe('the changes by one person', () => {
  // Each change is kept in the audit log for a year, and cannot be deleted there.
  it('are rejected beyond 600 a minute in all their organizations together, without an effect on others', async () => {
    const owner = await register(api.call);
    const admin = await addMember(world, api, owner.orgId, 'admin');
    const home = (await admin.get('/auth/me')).body.orgs[1].id;
    const change = (person: Person) => person.post('/org/templates', {});
    const left = async () =>
      Number((await admin.post('/auth/switch', { org_id: home })).headers.get('ratelimit-remaining'));
    for (let n = 0; n < 12; n++) await Promise.all(Array.from({ length: 49 }, () => change(admin)));
    for (let n = 11; n >= 0; n--) expect(await left()).toBe(n);

    expectLimited(await change(admin), 600);
    expectLimited(await admin.post('/auth/switch', { org_id: home }), 600);
    expectLimited(await admin.post('/org/webhook-secret/rotate'), 600);
    // It is a read, but writes to the audit log.
    expectLimited(await admin.get('/org/webhook-secret'), 600);
    expect((await admin.get('/org/templates')).status).toBe(200);
    expect((await admin.post('/auth/logout')).status).toBe(204);
    expectError(await change(owner), 400, 'validation_failed');
  });
});
