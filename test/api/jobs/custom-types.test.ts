import { registerWorker, removeWorker } from '@jobline/db';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { addMember, expectError, newKey } from '../support.js';

const run = async () => 'ok';
const greet = defineHandler({
  type: 'greet',
  queue: 'cpu',
  timeoutMs: 5_000,
  schema: Joi.object({
    name: Joi.string().max(5).required(),
    tags: Joi.array().items(Joi.string().pattern(/^[a-z]+$/)),
    size: Joi.object({ width: Joi.number().integer().min(1).required() }),
    kind: Joi.valid('a', 'b'),
  }),
  run,
});
const plain = defineHandler({ type: 'plain', run });

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  await world.alone.worker({ catalogue: createCatalogue([greet, plain]) });
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const later = () => new Date(Date.now() + 3_600_000).toISOString();
const submit = (payload: object, type = 'greet', who = person): Promise<Answered> =>
  who.post('/jobs', { type, payload, run_at: later() });

describe('a payload of a custom type', () => {
  it.each<[object, string[]]>([
    [{}, ['payload.name']],
    [{ name: 5 }, ['payload.name']],
    [{ name: '' }, ['payload.name']],
    [{ name: 'too long' }, ['payload.name']],
    [{ name: 'Ada', tags: ['a', 'B', 5] }, ['payload.tags[1]', 'payload.tags[2]']],
    [{ name: 'Ada', tags: 'a' }, ['payload.tags']],
    [{ name: 'Ada', size: {} }, ['payload.size.width']],
    [{ name: 'Ada', size: { width: 1.5 } }, ['payload.size.width']],
    [{ name: null, kind: 'c', size: [] }, ['payload.name', 'payload.kind', 'payload.size']],
  ])('%j is rejected at submission, and every issue is named', async (payload, paths) => {
    expectError(await submit(payload), 400, 'validation_failed', paths);
    const batch = {
      jobs: [
        { type: 'greet', payload: { name: 'Ada' } },
        { type: 'greet', payload },
      ],
    };
    const inBatch = paths.map((path) => `jobs[1].${path}`);
    expectError(await person.post('/jobs/batch', batch), 400, 'validation_failed', inBatch);
    const each = await person.post('/jobs/batch?mode=each', { jobs: [{ type: 'greet', payload }] });
    expect(each.body.jobs[0].error.details.map(({ path }: { path: string }) => path).sort()).toEqual(paths.sort());
  });

  it('is named in the spelling of the request', async () => {
    const answer = await person.post('/jobs', { Type: 'greet', Payload: { name: 5 } });
    expectError(answer, 400, 'validation_failed', ['Payload.name']);
    expect(answer.body.error.details[0].message).toBe('"Payload.name" must be string');
  });

  it('says what is wrong in words', async () => {
    const { body } = await submit({ kind: 'c', size: { width: 0 } });
    expect(body.error.details.map(({ message }: { message: string }) => message).sort()).toEqual([
      '"payload.kind" must be one of ["a","b"]',
      '"payload.name" is required',
      '"payload.size.width" must be >= 1',
    ]);
  });

  it.each([{ name: 'Ada' }, { name: 'Ada', more: { a: 1 }, tags: [], size: { width: 1, height: 'x' } }])(
    '%j is accepted, and runs',
    async (payload) => {
      const id = await submitJob(person, 'greet', payload);
      expect((await finishedJob(person, id)).job.status).toBe('done');
    },
  );

  it('is checked when a job is changed or run again with another payload, but not when a stored one runs again', async () => {
    const { id } = (await submit({ name: 'Ada' })).body;
    const change = (payload: object) => api.call('PATCH', `/jobs/${id}`, { token: person.token, body: { payload } });
    expectError(await change({ name: 5 }), 400, 'validation_failed', ['payload.name']);
    expect((await change({ name: 'Bob' })).status).toBe(200);

    await person.post(`/jobs/${id}/cancel`);
    const rerun = (payload?: object) => person.post(`/jobs/${id}/rerun`, payload && { payload });
    expectError(await rerun({ name: 5 }), 400, 'validation_failed', ['payload.name']);
    expect((await rerun({ name: 'Bob' })).status).toBe(202);
    await world.db.$executeRaw`UPDATE submitted_jobs SET payload = '{"name":5}' WHERE id = ${id}`;
    expect((await rerun()).status).toBe(202);
  });

  it('may be anything if the handler has no schema, or if no worker knows the type', async () => {
    for (const type of ['plain', 'unknown-type']) expect((await submit({ any: 'thing' }, type)).status).toBe(202);
  });
});

describe('what workers publish', () => {
  const schema = (name: object): string => JSON.stringify({ type: 'object', properties: { name }, required: ['name'] });
  const TEXT = schema({ type: 'string' });
  const NUMBER = schema({ type: 'number' });
  let own: World;
  let someone: Person;

  beforeEach(async () => {
    own = await createWorld();
    const at = await own.alone.api();
    someone = await register(at.call);
  });
  afterEach(() => own.end());

  /** Registers a worker with one type. Returns its id. */
  async function publish(published: string | null, type = 'greet'): Promise<string> {
    const id = newId();
    const types = new Map([[type, { queue: 'cpu', timeoutMs: 5_000, schema: published }]]);
    await registerWorker(own.hot, { id, name: id, types, queues: new Map([['cpu', 1]]) });
    return id;
  }

  const statusOf = async (payload: object, type = 'greet') => (await submit(payload, type, someone)).status;
  const becomes = (status: number, payload: object) =>
    until(`a ${status}`, async () => (await statusOf(payload)) === status);

  it('is known to the first submission of a type', async () => {
    await publish(TEXT);
    expect(await statusOf({ name: 5 })).toBe(400);
  });

  it('allows what any of the live workers accepts, and names the issues of the latest', async () => {
    const old = await publish(TEXT);
    expect([await statusOf({ name: 'Ada' }), await statusOf({ name: 5 })]).toEqual([202, 400]);
    await publish(NUMBER);
    expect([await statusOf({ name: 5 }), await statusOf({ name: 'Ada' })]).toEqual([202, 202]);
    const rejected = await submit({ name: true }, 'greet', someone);
    expect(rejected.body.error.details).toEqual([{ path: 'payload.name', message: '"payload.name" must be number' }]);

    await removeWorker(own.hot, old);
    await becomes(400, { name: 'Ada' });
    expect(await statusOf({ name: 5 })).toBe(202);
  });

  it('allows everything while one of the live workers publishes no schema', async () => {
    await publish(TEXT);
    expect(await statusOf({ name: 5 })).toBe(400);
    const without = await publish(null);
    expect(await statusOf({ name: 5 })).toBe(202);
    await removeWorker(own.hot, without);
    await becomes(400, { name: 5 });
  });

  it('counts only while its worker is alive', async () => {
    const worker = await publish(TEXT);
    await own.db.$executeRaw`UPDATE workers SET heartbeat_at = now() - interval '1 h' WHERE id = ${worker}::uuid`;
    expect(await statusOf({ name: 5 })).toBe(202);
    expect((await someone.get('/job-types')).body.map(({ type }: { type: string }) => type)).not.toContain('greet');
  });

  it.each([
    ['no JSON Schema', '{"type":"nonsense"}'],
    ['a reference to another document', '{"$ref":"https://example.com/schema.json"}'],
    ['a pattern that is none', '{"properties":{"name":{"pattern":"("}}}'],
    ['another version of JSON Schema', '{"$schema":"http://json-schema.org/draft-04/schema#"}'],
    ['an asynchronous schema', '{"$async":true,"type":"object","required":["x"]}'],
  ])('is not used if it is %s', async (_what, published) => {
    await publish(published);
    expect(await statusOf({ name: 5 })).toBe(202);
  });

  it('may use names, references inside it, and formats, which are not checked', async () => {
    const node = {
      type: 'object',
      properties: { child: { $ref: '#/$defs/node' }, mail: { format: 'email' } },
      required: ['n'],
    };
    await publish(JSON.stringify({ $id: 'https://example.com/node', $ref: '#/$defs/node', $defs: { node } }));
    await publish(JSON.stringify({ $id: 'https://example.com/node', type: 'object', required: ['n', 'm'] }), 'other');
    expect(await statusOf({ n: 1, mail: 'no address', child: { n: 2 } })).toBe(202);
    const answer = await submit({ n: 1, child: { child: { n: 1 } } }, 'greet', someone);
    expectError(answer, 400, 'validation_failed', ['payload.child.n']);
    expectError(await submit({}, 'other', someone), 400, 'validation_failed', ['payload.n', 'payload.m']);
  });

  it('names alternatives once, and at most 100 issues', async () => {
    const item = { anyOf: [{ type: 'string' }, { type: 'number' }] };
    await publish(JSON.stringify({ properties: { list: { type: 'array', items: item } } }));
    const answer = await submit({ list: [1, null, 'a', {}] }, 'greet', someone);
    expectError(answer, 400, 'validation_failed', ['payload.list[1]', 'payload.list[3]']);
    expect(answer.body.error.details).toHaveLength(2);
    const many = await submit({ list: Array.from({ length: 1_000 }, () => null) }, 'greet', someone);
    expect(many.body.error.details).toHaveLength(100);
  });

  it('names the issues of a thousand payloads of one request', async () => {
    await publish(TEXT);
    const jobs = Array.from({ length: 1_000 }, () => ({ type: 'greet', payload: { name: 5 } }));
    const { status, body } = await someone.post('/jobs/batch', { jobs });
    expect(status).toBe(400);
    expect(body.error.details).toHaveLength(1_000);
  });

  it('names only the first issue of a large payload', async () => {
    await publish(JSON.stringify({ properties: { list: { type: 'array', items: { type: 'string' } } } }));
    const answer = await submit({ list: Array(100_000).fill(null) }, 'greet', someone);
    expectError(answer, 400, 'validation_failed', ['payload.list[0]']);
  });
});

describe('GET /job-types', () => {
  const typesOf = async (who: Person): Promise<Answered['body']> => (await who.get('/job-types')).body;

  it('lists the built-in types and those of live workers by name, with what their workers publish', async () => {
    const types = await typesOf(person);
    const names = types.map(({ type }: { type: string }) => type);
    expect(names).toEqual([...createCatalogue().keys(), 'greet', 'plain'].sort());
    const of = (type: string) => types.find((one: { type: string }) => one.type === type);
    expect(of('greet')).toEqual({
      type: 'greet',
      queue: 'cpu',
      built_in: false,
      timeout_ms: 5_000,
      workers: 1,
      schema: expect.objectContaining({ type: 'object', required: ['name'] }),
    });
    expect(of('plain')).toEqual({
      ...{ type: 'plain', queue: 'io', built_in: false, timeout_ms: 60_000, workers: 1, schema: null },
    });
    for (const { type, queue, timeoutMs } of createCatalogue().values()) {
      expect(of(type)).toMatchObject({ type, queue, built_in: true, timeout_ms: timeoutMs, workers: 0 });
      expect(of(type).schema).toMatchObject({ type: 'object', properties: expect.any(Object) });
      expect(JSON.stringify(of(type).schema)).not.toContain('$ref');
    }
    expect(of('webhook').schema.required.sort()).toEqual(['payload', 'url']);
  });

  it('is the same for a member and an API key, and needs a credential', async () => {
    const types = await typesOf(person);
    const member = await addMember(world, api, person.orgId, 'member');
    const { key } = await newKey(person);
    expect(await typesOf(member)).toEqual(types);
    expect((await api.call('GET', '/job-types', { key })).body).toEqual(types);
    expectError(await api.call('GET', '/job-types'), 401, 'unauthenticated');
  });

  it.each(['limit=5', 'cursor=x', 'type=greet', 'what=1'])(
    'is not paged or filtered: ?%s is rejected',
    async (query) => {
      const [name = ''] = query.split('=');
      expectError(await person.get(`/job-types?${query}`), 400, 'validation_failed', [name]);
    },
  );

  it('counts the live workers of a type, and shows what the latest one publishes', async () => {
    const own = await createWorld();
    const someone = await register((await own.api()).call);
    const of = async (type: string) => (await typesOf(someone)).find((one: { type: string }) => one.type === type);
    for (const [n, queue] of ['io', 'cpu', 'browser'].entries()) {
      const published = { queue, timeoutMs: n + 1, schema: n === 2 ? null : `{"title":"${n}"}` };
      const types = new Map([
        ['mine', published],
        ['webhook', published],
      ]);
      await registerWorker(own.hot, { id: newId(), name: queue, types, queues: new Map() });
      await own.db
        .$executeRaw`UPDATE workers SET started_at = now() - ${3 - n} * interval '1 min' WHERE name = ${queue}`;
    }
    // A worker of a version that publishes only types and queues.
    await own.db.$executeRaw`
      INSERT INTO workers (id, name, types, type_queues) VALUES (${newId()}::uuid, 'old', '{mine,older}', '{io,cpu}')`;
    await own.db.$executeRaw`UPDATE workers SET started_at = now() - interval '1 h' WHERE name = 'old'`;

    expect(await of('mine')).toMatchObject({ queue: 'browser', timeout_ms: 3, workers: 4, schema: null });
    expect(await of('webhook')).toMatchObject({ built_in: true, queue: 'browser', workers: 3, timeout_ms: 3 });
    expect(await of('older')).toMatchObject({ queue: 'cpu', timeout_ms: null, workers: 1, schema: null });
    await own.end();
  });
});
