import { pause } from '@jobline/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, createWorld, type Person, register, type TestApi, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const welcome = { name: 'welcome', kind: 'email', subject: 'Hi {{ name }}', body: '<p>{{ name }} {{ order.id }}</p>' };

const replace = (person: Person, id: string, body: unknown) =>
  api.call('PUT', `/org/templates/${id}`, { token: person.token, body });
const remove = (person: Person, id: string) => api.call('DELETE', `/org/templates/${id}`, { token: person.token });

async function stored(template: object, person = owner) {
  const answer = await person.post('/org/templates', template);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

describe('POST and PUT /org/templates', () => {
  it('store a template and return it unchanged', async () => {
    const body = '<p>{{ x }}</p>\r\n\t{% comment %}é 🎉{% endcomment %}';
    const made = await stored({ ...welcome, name: '  exact  ', body });

    expect(made).toEqual({
      id: expect.any(String),
      name: 'exact',
      kind: 'email',
      subject: 'Hi {{ name }}',
      body,
      variables: ['name', 'x'],
      sample: {},
      created_at: isoTime,
      updated_at: isoTime,
    });
    expect((await owner.get(`/org/templates/${made.id}`)).body).toEqual(made);

    const changes = { name: 'exact too', kind: 'sms', body: 'Hi' };
    const answer = await replace(owner, made.id, changes);
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...made, ...changes, subject: null, variables: [], updated_at: isoTime },
    ]);
    expect((await owner.get(`/org/templates/${made.id}`)).body).toEqual(answer.body);
  });

  it('keep example data in its order, also when a replacement has none, and reject too much of it', async () => {
    const sample = { order: { total: 3, id: 'A-1' }, items: ['a'] };
    const made = await stored({ ...welcome, name: 'with data', sample });
    const { id } = made;
    expect(JSON.stringify(made.sample)).toBe(JSON.stringify(sample));

    const change = (more: object) => replace(owner, id, { ...welcome, name: 'with data', ...more });
    expect((await change({ body: 'new' })).body).toMatchObject({ body: 'new', sample });
    expect((await change({ sample: { x: 'é'.repeat(32_764) } })).status).toBe(200);
    for (const bad of [{ x: 'é'.repeat(32_765) }, 'text', [], null]) {
      expectError(await change({ sample: bad }), 400, 'validation_failed', ['sample']);
    }
    const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`);
    expect((await change({ sample: deep })).status).toBe(400);
    expect((await change({ sample: {} })).body.sample).toEqual({});
  });

  it('require a unique name within a kind', async () => {
    const first = await stored({ ...welcome, name: 'taken' });
    const second = await stored({ name: 'taken', kind: 'sms', body: 'x' });

    expectError(await owner.post('/org/templates', { ...welcome, name: ' taken ' }), 409, 'conflict', ['name']);
    expectError(await replace(owner, second.id, { ...welcome, name: 'taken' }), 409, 'conflict', ['name']);
    expect((await replace(owner, first.id, { ...welcome, name: 'taken', body: 'y' })).status).toBe(200);
  });

  it.each<[object, string[]]>([
    [{}, ['name', 'kind', 'body']],
    [{ ...welcome, name: ' ', kind: 'fax', more: 1 }, ['name', 'kind', 'more', 'subject']],
    [{ ...welcome, name: 'a<b' }, ['name']],
    [{ ...welcome, name: 'x'.repeat(201) }, ['name']],
    [{ ...welcome, body: '' }, ['body']],
    [{ ...welcome, body: 'a\u0000b' }, ['body']],
    [{ ...welcome, body: 'x'.repeat(512 * 1024 + 1) }, ['body']],
    [{ ...welcome, subject: 'a\r\nBcc: x@evil.com' }, ['subject']],
    [{ ...welcome, subject: 'a\nb' }, ['subject']],
    [{ ...welcome, kind: 'sms' }, ['subject']],
    [{ name: 'invoice', kind: 'pdf', body: 'x' }, ['name']],
    [{ ...welcome, body: 'a\n{% if x %}' }, ['body']],
    [{ ...welcome, subject: '{{ x | nope }}', body: 'x' }, ['subject']],
    [{ ...welcome, body: '{% include "x" %}' }, ['body']],
  ])('reject %.90j', async (template, paths) => {
    expectError(await owner.post('/org/templates', template), 400, 'validation_failed', paths);
  });

  it('report where a text has a syntax error', async () => {
    const answer = await owner.post('/org/templates', { ...welcome, name: 'faulty', body: 'a\n{% if x %}' });

    expect(answer.body.error.details[0].message).toMatch(/not closed, line:2/);
  });
});

describe('a preview', () => {
  it('contains what would be sent, and lists the missing data', async () => {
    const { id } = await stored({ ...welcome, name: 'preview' });
    const filled = await owner.post(`/org/templates/${id}/preview`, { data: { name: 'Tom & <b>', order: {} } });

    expect(filled.status, filled.text).toBe(200);
    expect(filled.body).toEqual({
      subject: 'Hi Tom & <b>',
      body: '<p>Tom &amp; &lt;b&gt; </p>',
      missing: ['order.id'],
    });
    expect((await owner.post(`/org/templates/${id}/preview`, {})).body.missing).toEqual(['name', 'order']);
    const { name: _, ...source } = welcome;
    const unsaved = await owner.post('/org/templates/preview', { ...source, data: { name: 'Tom & <b>', order: {} } });
    expect(unsaved.body).toEqual(filled.body);
  });

  it('has no subject and is plain text for an SMS', async () => {
    const answer = await owner.post('/org/templates/preview', { kind: 'sms', body: "{{ x }}'s", data: { x: 'A&B' } });

    expect(answer.body).toEqual({ body: "A&B's", missing: [] });
  });

  it('removes line breaks of the data from a subject', async () => {
    const data = { name: 'x\r\nBcc: a@evil.com\u2028\u0000y' };
    const answer = await owner.post('/org/templates/preview', {
      kind: 'email',
      subject: 'A {{ name }} ',
      body: 'x',
      data,
    });

    expect(answer.body.subject).toBe('A x Bcc: a@evil.com y');
  });

  it.each<[string, object, string[]]>([
    ['a syntax error', { kind: 'email', body: '{{ x | nope }}', data: {} }, ['body']],
    ['an endless loop', { kind: 'sms', body: '{% for i in (1..99999999) %}x{% endfor %}', data: {} }, ['body']],
    ['data that is not an object', { kind: 'sms', body: 'x', data: [] }, ['data']],
    ['several issues', { kind: 'x', data: 'y', more: 1 }, ['kind', 'body', 'data', 'more']],
  ])('with %s is rejected', async (_what, body, paths) => {
    expectError(await owner.post('/org/templates/preview', body), 400, 'validation_failed', paths);
  });

  it('is rejected if its text takes too long to parse, and other requests are answered meanwhile', async () => {
    const impatient = await world.api({ renderLimitMs: 100 });
    const ask = () => impatient.call('GET', '/jobs', { token: owner.token });
    await ask();
    const body = { kind: 'sms', body: `{% liquid\n${'echo a\n'.repeat(70_000)}%}` };
    // The process that renders has a low priority: on a busy machine it may get no processor time for half a minute, which is a 429.
    async function preview(): Promise<Answered> {
      const answer = await impatient.call('POST', '/org/templates/preview', { token: owner.token, body });
      return answer.status === 429 ? preview() : answer;
    }
    const hostile = preview();
    let answered = 0;
    let isOver = false;
    void hostile.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      expect((await ask()).status).toBe(200);
      if (!isOver) answered++;
      await pause(10);
    }

    expectError(await hostile, 400, 'validation_failed', ['body']);
    // If the template blocked the process, at most the first request would be answered.
    expect(answered).toBeGreaterThan(3);
  });
});

describe('GET and DELETE /org/templates', () => {
  it('end a page early if the variables are large, and lose none', async () => {
    const person = await register(api.call);
    const most = 'v'.repeat(16_384);
    const source = { kind: 'sms' as const, subject: null, body: 'x', variables: [most.repeat(64)] };
    for (let n = 0; n < 5; n++)
      await world.db.template.create({ data: { ...source, name: `${n}`, orgId: person.orgId } });

    const first = await person.get('/org/templates');
    expect(first.body.map(({ name }: { name: string }) => name)).toEqual(['4', '3']);
    const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect((await person.get(next)).body.map(({ name }: { name: string }) => name)).toEqual(['2', '1']);
  });

  it('need no large pages: the names of the variables of a template have a limit', async () => {
    const template = (length: number) => ({ name: `of ${length}`, kind: 'sms', body: `{{ ${'v'.repeat(length)} }}` });

    expect((await owner.post('/org/templates', template(16_384))).status).toBe(201);
    expectError(await owner.post('/org/templates', template(16_385)), 400, 'validation_failed', ['body']);
  });

  it('list templates newest first, without their bodies and example data, and without removed ones', async () => {
    const person = await register(api.call);
    const made: { id: string }[] = [];
    for (const name of ['a', 'b', 'c']) made.unshift(await stored({ ...welcome, name }, person));
    const withoutBody = made.map((one) => ({ ...one, body: undefined, sample: undefined }));

    expect((await person.get('/org/templates')).body).toEqual(withoutBody);
    const first = await person.get('/org/templates?limit=2');
    const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect((await person.get(next)).body).toEqual(withoutBody.slice(2));
    expect((await remove(person, made[0]?.id ?? '')).status).toBe(204);
    expectError(await remove(person, made[0]?.id ?? ''), 404, 'not_found');
    expect((await person.get('/org/templates')).body).toEqual(withoutBody.slice(1));
  });

  it('hide the templates of others', async () => {
    const { id } = await stored({ ...welcome, name: 'hidden' });
    const stranger = await register(api.call);
    for (const answer of [
      await stranger.get(`/org/templates/${id}`),
      await replace(stranger, id, welcome),
      await stranger.post(`/org/templates/${id}/preview`, {}),
      await remove(stranger, id),
      await owner.get('/org/templates/nope'),
      await replace(owner, '00000000-0000-0000-0000-000000000000', { ...welcome, name: 'unknown' }),
    ]) {
      expectError(answer, 404, 'not_found');
    }
    expect((await owner.get(`/org/templates/${id}`)).body.body).toBe(welcome.body);
  });
});
