import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  computeProcesses,
  createWorld,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.alone.api();
  owner = await register(api.call);
});
afterAll(() => world.end());

/** 141 bytes that would become 400 MiB. */
const TINY =
  '{% assign s = "xxxxxxxxxxxxxxxx" %}{% for i in (1..18) %}{% assign s = s | append: s %}{% endfor %}{% for i in (1..100) %}{{ s }}{% endfor %}';
const ITEMS = Array.from({ length: 1_000 }, (_, n) => n);
const ENDLESS = {
  kind: 'sms',
  body: ['a', 'b', 'c', 'd'].reduce((inner, name) => `{% for ${name} in items %}${inner}{% endfor %}`, ''),
  data: { items: ITEMS },
};

const rssMiB = () => process.memoryUsage.rss() / 1024 / 1024;

describe('a template whose text would be hundreds of megabytes', () => {
  it('is rejected by a preview, without memory use in the API', async () => {
    await owner.post('/org/templates/preview', { kind: 'sms', body: 'the process is started' });
    const beforeMiB = rssMiB();

    const answer = await owner.post('/org/templates/preview', { kind: 'sms', body: TINY });

    expectError(answer, 400, 'validation_failed', ['body']);
    expect(answer.body.error.details[0].message).toContain('output limit exceeded');
    expect(rssMiB() - beforeMiB).toBeLessThan(100);
  });

  it('is rejected at the submission of a job that names it', async () => {
    const made = await owner.post('/org/templates', { name: 'tiny', kind: 'email', subject: 'x', body: TINY });
    expect(made.status, made.text).toBe(201);

    const answer = await owner.post('/jobs', {
      type: 'send_email',
      payload: { to: 'a@example.com', template: 'tiny' },
    });

    expectError(answer, 400, 'validation_failed', ['payload.template']);
  });
});

describe('a batch whose jobs use large templates', () => {
  const batchOf = (data: readonly object[]) => ({
    jobs: data.map((one) => ({ type: 'send_email', payload: { to: 'a@example.com', template: 'large', data: one } })),
  });

  it('is checked up to a length of its templates; the others are checked when their jobs run', async () => {
    const body = `{{ name }}${'x'.repeat(500_000)}`;
    const made = await owner.post('/org/templates', { name: 'large', kind: 'email', subject: 'x', body });
    expect(made.status, made.text).toBe(201);
    const complete = Array.from({ length: 40 }, () => ({ name: 'Ada' }));

    const first = await owner.post('/jobs/batch', batchOf([{}, ...complete]));
    const last = await owner.post('/jobs/batch', batchOf([...complete, {}]));

    expectError(first, 400, 'validation_failed', ['jobs[0].payload.data.name']);
    expect(last.status, last.text).toBe(202);

    // What needs no template is checked for every job.
    const foreign = {
      type: 'send_email',
      payload: { to: 'a@example.com', from: 'ceo@example.com', subject: 'x', body: 'x' },
    };
    const refused = await owner.post('/jobs/batch', { jobs: [...batchOf(complete).jobs, foreign] });
    expectError(refused, 403, 'sender_domain_not_verified', ['jobs[40].payload.from']);
  });
});

describe('slow templates', () => {
  /** A preview whose caller can disconnect. */
  function preview(person: Person, body: object, signal: AbortSignal): Promise<Response | null> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${person.token}` };
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
    return fetch(`${api.url}/org/templates/preview`, init).catch(() => null);
  }

  it('have a queue limit per organization, and a render is dropped when its caller disconnects', async () => {
    const stranger = await register(api.call);
    const leaving = new AbortController();
    const before = new Set(computeProcesses().map(({ pid }) => pid));

    // One is being rendered, twenty wait, and one is too many.
    const asked = Array.from({ length: 22 }, () => preview(owner, ENDLESS, leaving.signal));
    const refused = await Promise.race(asked);

    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused?.json()).toMatchObject({ error: { code: 'rate_limited' } });
    leaving.abort();
    // Each of the others would take minutes.
    const answer = await stranger.post('/org/templates/preview', { kind: 'sms', body: 'hello' });
    expect(answer.body).toEqual({ body: 'hello', missing: [] });
    await until('its process to be replaced', () => !computeProcesses().some(({ pid }) => before.has(pid)));
  });

  it('the rate of template previews is limited per person', async () => {
    const person = await register(api.call);
    const text = { kind: 'sms', body: 'x' };
    const first = await person.post('/org/templates/preview', text);
    expect(first.headers.get('ratelimit-limit')).toBe('60');
    for (let n = 1; n < 60; n++) expect((await person.post('/org/templates/preview', text)).status).toBe(200);

    expectError(await person.post('/org/templates/preview', text), 429, 'rate_limited');
    expect((await (await register(api.call)).post('/org/templates/preview', text)).status).toBe(200);
  });
});
