import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

const operator = { user: 'ops', password: 'correct horse' };
const authorization = `Basic ${Buffer.from('ops:correct horse').toString('base64')}`;
const ORIGIN = 'https://jobs.example.com';
const PATH = '/admin/sender-ids';

let world: World;
/** An API that requires the approval of each sender id. */
let strict: TestApi;
/** The same organizations, where no sender id needs approval. */
let open: TestApi;
let first: Person;
let second: Person;

beforeAll(async () => {
  world = await createWorld();
  const settings = { operator, publicUrl: ORIGIN };
  strict = await world.api({ settings: { ...settings, senderIds: 'approved' } });
  open = await world.api({ settings });
  first = await register(strict.call, { orgName: 'First' });
  second = await register(strict.call, { orgName: 'Second' });
});
afterAll(() => world.end());

/** This does not use `call`, because the operators' endpoints are not in the API document. */
async function ask(
  method: string,
  path: string,
  headers: Record<string, string> = { authorization },
  api = strict,
): Promise<Answered> {
  const response = await fetch(api.url + path, { method, headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  return {
    status: response.status,
    headers: response.headers,
    text,
    bytes,
    body: text === '' ? null : JSON.parse(text),
  };
}

const add = (person: Person, sender_id: string, api = strict) =>
  api.call('POST', '/org/sender-ids', { token: person.token, body: { sender_id } });
const sendAs = (person: Person, from: string, api = strict) =>
  api.call('POST', '/sms/send', { token: person.token, body: { to: '+254711000111', message: 'Hello', from } });
const submitAs = (person: Person, from: string) =>
  strict.call('POST', '/jobs', {
    token: person.token,
    body: { type: 'send_sms', payload: { to: '+254711000111', message: 'Hello', from } },
  });

describe('with approval by the operator', () => {
  it('a new sender id is pending and cannot be used until it is approved', async () => {
    const added = await add(first, 'FIRST');

    expect([added.status, added.body.status]).toEqual([201, 'pending']);
    expectError(await sendAs(first, 'FIRST'), 403, 'sender_not_registered', ['from']);
    expectError(await submitAs(first, 'FIRST'), 403, 'sender_not_registered', ['payload.from']);
    const [waiting] = (await ask('GET', PATH)).body;
    expect(waiting).toEqual({ ...added.body, org: { id: first.orgId, name: 'First' } });

    const approved = await ask('POST', `${PATH}/${added.body.id}/approve`);

    expect([approved.status, approved.body]).toEqual([200, { ...waiting, status: 'approved' }]);
    expect((await sendAs(first, 'FIRST')).status).toBe(200);
    expect((await submitAs(first, 'FIRST')).status).toBe(202);
    expect((await first.get('/org/sender-ids')).body).toEqual([{ ...added.body, status: 'approved' }]);
    expect((await ask('GET', PATH)).body).toEqual([]);
    expect((await ask('GET', `${PATH}?status=approved`)).body).toEqual([approved.body]);
  });

  it('an approval is in the audit log of the organization once, without the address of the operator', async () => {
    const { id } = (await add(first, 'AUDITED')).body;
    for (let n = 0; n < 2; n++) expect((await ask('POST', `${PATH}/${id}/approve`)).status).toBe(200);

    const entries = (await first.get('/org/audit?action=sender_id.approved')).body;

    expect(entries.filter(({ target }: { target: { id: string } }) => target.id === id)).toEqual([
      expect.objectContaining({
        actor: null,
        ip: null,
        target: { id, name: 'AUDITED' },
        details: { by: 'operator' },
      }),
    ]);
  });

  it('the operator can remove a pending sender id, and its name is free again', async () => {
    const { id } = (await add(first, 'SQUATTED')).body;
    expectError(await add(second, 'Squatted'), 409, 'conflict', ['sender_id']);

    expect((await ask('DELETE', `${PATH}/${id}`)).status).toBe(204);

    expectError(await ask('DELETE', `${PATH}/${id}`), 404, 'not_found');
    expect((await add(second, 'Squatted')).status).toBe(201);
    const [entry] = (await first.get('/org/audit?action=sender_id.removed')).body;
    expect(entry).toMatchObject({ actor: null, ip: null, target: { id }, details: { by: 'operator' } });
  });

  it('the list has pages', async () => {
    for (let n = 0; n < 3; n++) await add(second, `PAGE${n}`);
    const all = (await ask('GET', PATH)).body;
    const page = await ask('GET', `${PATH}?limit=2`);
    const rest = await ask('GET', /<(.+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '');

    expect(page.body).toHaveLength(2);
    expect([...page.body, ...rest.body]).toEqual(all.slice(0, 4));
    expectError(await ask('GET', `${PATH}?status=x&limit=0&more=1`), 400, 'validation_failed', [
      'status',
      'limit',
      'more',
    ]);
  });
});

describe('a sender id that another organization has', () => {
  it('is a conflict, compared without case, even if both are added at the same moment', async () => {
    expect((await add(first, 'Shared', open)).body).not.toHaveProperty('status');
    expectError(await add(second, 'SHARED', open), 409, 'conflict', ['sender_id']);
    expect((await add(first, 'SHARED', open)).status).toBe(201); // another spelling of the organization's own sender id

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => add(n % 2 === 0 ? first : second, n % 4 < 2 ? 'RACE' : 'Race', open)),
    );
    const rows = await world.db.senderId.findMany({ where: { senderId: { in: ['RACE', 'Race'] } } });
    expect(new Set(rows.map(({ orgId }) => orgId)).size).toBe(1);
    for (const { status } of answers) expect([201, 409]).toContain(status);
  });

  it('cannot be approved a second time until it is free again', async () => {
    const held = (await add(first, 'TWICE', open)).body;
    const { id } = await world.db.senderId.create({
      data: { orgId: second.orgId, senderId: 'twice', status: 'pending' },
    });
    const listed = (await open.call('GET', '/org/sender-ids', { token: second.token })).body;

    expect(listed).toContainEqual(expect.objectContaining({ id, status: 'pending' })); // so that the reason is visible
    expectError(await sendAs(second, 'twice', open), 403, 'sender_not_registered');
    expectError(await ask('POST', `${PATH}/${id}/approve`), 409, 'conflict');
    expect((await open.call('DELETE', `/org/sender-ids/${held.id}`, { token: first.token })).status).toBe(204);
    expect((await ask('POST', `${PATH}/${id}/approve`)).status).toBe(200);
    expect((await sendAs(second, 'twice', open)).status).toBe(200);
  });

  it('is rejected by the database itself, so that an older version of the API cannot add it either', async () => {
    await add(first, 'OLDER', open);
    const insert = world.db.$executeRaw`
      INSERT INTO sender_ids (id, org_id, sender_id) VALUES (gen_random_uuid(), ${second.orgId}::uuid, 'older')`;
    await expect(insert).rejects.toThrow(/another organization|[Uu]nique/);
  });
});

describe('the operator', () => {
  it('is the only one who may list and approve: no token or key of an organization is accepted', async () => {
    const { id } = (await add(first, 'GUARDED')).body;
    const key = (await first.post('/org/api-keys', { name: 'k' })).body.key;

    for (const headers of [{}, { authorization: `Bearer ${first.token}` }, { 'x-api-key': key }]) {
      for (const [method, path] of [
        ['GET', PATH],
        ['POST', `${PATH}/${id}/approve`],
        ['DELETE', `${PATH}/${id}`],
      ] as const) {
        const answer = await ask(method, path, headers);
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
          401,
          expect.stringMatching(/^Basic realm=/),
        ]);
      }
    }
    expect((await ask('POST', PATH)).headers.get('allow')).toBe('GET, HEAD');
    expect((await ask('GET', `${PATH}/${id}/approve`)).headers.get('allow')).toBe('POST');
    for (const one of ['nope', '00000000-0000-0000-0000-000000000000']) {
      expectError(await ask('POST', `${PATH}/${one}/approve`), 404, 'not_found');
    }
    expect((await first.get('/org/sender-ids')).body[0]).toMatchObject({ id, status: 'pending' });
  });

  // A browser adds the operator's credentials to every form that is posted to this address.
  it("is protected against requests from another site's page", async () => {
    const { id } = (await add(first, 'FORGED')).body;
    const approve = (more: Record<string, string>) => ask('POST', `${PATH}/${id}/approve`, { authorization, ...more });

    for (const more of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expectError(await approve(more), 403, 'forbidden');
    }
    expect((await approve({ origin: ORIGIN })).status).toBe(200);
  });

  it('has no endpoints if none is configured', async () => {
    const without = await world.api();
    for (const method of ['GET', 'POST']) expect((await ask(method, PATH, {}, without)).status).toBe(404);
  });
});
