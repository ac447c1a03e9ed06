import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type NameServer,
  type Person,
  register,
  startNameServer,
  type TestApi,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let names: NameServer;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  names = await startNameServer();
  api = await world.api({ dnsServers: [names.address] });
  owner = await register(api.call);
});
afterAll(async () => {
  await world.end();
  await names.close();
});

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const remove = (person: Person, id: string) => api.call('DELETE', `/org/domains/${id}`, { token: person.token });
const verify = (person: Person, id: string) => person.post(`/org/domains/${id}/verify`);

async function added(domain: string, person = owner) {
  const answer = await person.post('/org/domains', { domain });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

describe('POST /org/domains', () => {
  it('answers with the record to publish, whose value is unguessable and unique for each domain', async () => {
    const first = await added('one.example');
    const second = await added('two.example');

    expect(first).toEqual({
      id: expect.any(String),
      domain: 'one.example',
      status: 'pending',
      record: {
        type: 'TXT',
        name: '_jobline-challenge.one.example',
        value: expect.stringMatching(/^jobline-verify=[0-9a-f]{32}$/),
      },
      verified_at: null,
      created_at: isoTime,
    });
    expect(second.record.value).not.toBe(first.record.value);
  });

  it.each([
    ['UPPER.Example', 'upper.example'],
    [' dotted.example. ', 'dotted.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
  ])('accepts %j for %s, also if it is added again in another spelling', async (spelling, domain) => {
    expect((await added(spelling)).domain).toBe(domain);
    expectError(await owner.post('/org/domains', { domain }), 409, 'conflict', ['domain']);
    expectError(await owner.post('/org/domains', { domain: `${domain.toUpperCase()}.` }), 409, 'conflict', ['domain']);
  });

  it.each([
    [{}, ['domain']],
    [{ domain: 1, more: 1 }, ['domain', 'more']],
    [{ domain: 'localhost' }, ['domain']],
    [{ domain: '127.0.0.1' }, ['domain']],
    [{ domain: 'a@example.com' }, ['domain']],
    [{ domain: '*.example.com' }, ['domain']],
    [{ domain: 'example.com/x' }, ['domain']],
    [{ domain: `${'a.'.repeat(200)}com` }, ['domain']],
    [{ domain: 'a\u0000b.com' }, ['domain']],
  ])('rejects %j', async (body, paths) => {
    expectError(await owner.post('/org/domains', body), 400, 'validation_failed', paths);
  });
});

describe('POST /org/domains/{id}/verify', () => {
  it('verifies a domain whose record is in DNS, among other records, in one or several strings', async () => {
    const whole = await added('whole.example');
    const pieces = await added('pieces.example');
    names.publish(whole.record.name, 'v=spf1 -all', whole.record.value);
    names.publish(pieces.record.name, [pieces.record.value.slice(0, 20), pieces.record.value.slice(20)]);

    for (const one of [whole, pieces]) {
      const answer = await verify(owner, one.id);

      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toEqual({ ...one, status: 'verified', verified_at: isoTime, reason: null });
      const { reason: _, ...domain } = answer.body;
      expect((await owner.get(`/org/domains/${one.id}`)).body).toEqual(domain);
    }
  });

  it('reads DNS each time, and reports why a domain is still pending', async () => {
    const { id, record } = await added('slow.example');

    const absent = await verify(owner, id);
    expect([absent.status, absent.body.status]).toEqual([200, 'pending']);
    expect(absent.body.reason).toMatch(/no TXT record at _jobline-challenge\.slow\.example yet/);

    names.publish(record.name);
    expect((await verify(owner, id)).body.reason).toMatch(/no TXT record/);
    names.publish(record.name, `${record.value}0`, record.value.toUpperCase(), ` ${record.value}`);
    expect((await verify(owner, id)).body).toMatchObject({
      status: 'pending',
      reason: expect.stringMatching(/3 TXT records .* but none with the value jobline-verify=/),
    });
    names.publish(record.name, record.value);
    expect((await verify(owner, id)).body).toMatchObject({ status: 'verified', reason: null });
  });

  it('keeps a domain verified even if its record is removed', async () => {
    const { id, record } = await added('kept.example');
    names.publish(record.name, record.value);
    const { verified_at } = (await verify(owner, id)).body;
    names.publish(record.name);

    expect((await verify(owner, id)).body).toMatchObject({ status: 'verified', verified_at, reason: null });
  });

  it('does not accept the record of another organization: each has its own, and both may have the domain', async () => {
    const stranger = await register(api.call);
    const mine = await added('shared.example');
    const theirs = await added('shared.example', stranger);
    names.publish(mine.record.name, mine.record.value);

    expect((await verify(stranger, theirs.id)).body.status).toBe('pending');
    names.publish(mine.record.name, mine.record.value, theirs.record.value);
    expect((await verify(stranger, theirs.id)).body.status).toBe('verified');
    expect((await verify(owner, mine.id)).body.status).toBe('verified');
  });

  it('does not accept the record of a subdomain or of a parent domain', async () => {
    const above = await added('above.example');
    const below = await added('below.above.example');
    names.publish(above.record.name, above.record.value, below.record.value);

    expect((await verify(owner, below.id)).body.status).toBe('pending');
  });

  it.each([
    ['servfail', 'could not answer', {}],
    ['refused', 'refused to answer', {}],
    ['silent', 'did not answer in time', { dnsTimeoutMs: 100 }],
  ] as const)('reports a name server that is %s differently from a missing record', async (how, reason, limit) => {
    const broken = await startNameServer();
    const other = await world.api({ dnsServers: [broken.address], ...limit });
    const { id } = await added(`${how}.example`);
    broken.break(how);

    const answer = await other.call('POST', `/org/domains/${id}/verify`, { token: owner.token });

    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ status: 'pending', reason: expect.stringContaining(reason) });
    await broken.close();
  });
});

describe('GET and DELETE /org/domains', () => {
  it('lists domains newest first, page by page, without removed ones', async () => {
    const person = await register(api.call);
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) made.unshift((await added(`${name}.example`, person)).id);
    const ids = async (path: string) => (await person.get(path)).body.map(({ id }: { id: string }) => id);

    expect(await ids('/org/domains')).toEqual(made);
    const first = await person.get('/org/domains?limit=2');
    expect(await ids(/^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '')).toEqual([made[2]]);
    expect([(await remove(person, made[1] ?? '')).status, await ids('/org/domains')]).toEqual([
      204,
      [made[0], made[2]],
    ]);
    expectError(await remove(person, made[1] ?? ''), 404, 'not_found');
    expect((await added('b.example', person)).record).toBeDefined();
  });

  it('hides the domains of others', async () => {
    const { id } = await added('hidden.example');
    const stranger = await register(api.call);
    for (const answer of [
      await stranger.get(`/org/domains/${id}`),
      await verify(stranger, id),
      await remove(stranger, id),
      await owner.get('/org/domains/nope'),
      await verify(owner, '00000000-0000-0000-0000-000000000000'),
    ]) {
      expectError(answer, 404, 'not_found');
    }
    expect((await stranger.get('/org/domains')).body).toEqual([]);
    expect((await owner.get(`/org/domains/${id}`)).status).toBe(200);
  });
});
