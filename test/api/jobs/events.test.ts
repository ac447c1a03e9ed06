import type { OrgId } from '@jobline/contracts';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type EventReader,
  finishedJob,
  makeDue,
  type Person,
  type ReadEventsOptions,
  readEvents,
  register,
  type ServerEvent,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError, newKey } from '../support.js';

const greet = defineHandler({
  type: 'greet',
  async run(_payload, { log, attempt }) {
    log('info', 'hello');
    if (attempt === 1) throw new Error('not yet');
  },
});

let world: World;
let api: TestApi;
let other: TestApi;
let person: Person;
const readers: EventReader[] = [];

beforeAll(async () => {
  world = await createWorld();
  const catalogue = createCatalogue([greet]);
  api = await world.api({ catalogue });
  other = await world.api({ catalogue });
  await world.worker({ catalogue });
  person = await register(api.call);
});
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
});
afterAll(() => world.end());

async function read(path: string, options: ReadEventsOptions = {}, from = api): Promise<EventReader> {
  const reader = await readEvents(from.url + path, { token: person.token, ...options });
  readers.push(reader);
  expect(reader.status).toBe(200);
  return reader;
}

/** The events about a job as texts: `status` with its value, or `log` with its message. */
function textsOf(reader: EventReader, id?: string): string[] {
  return reader.events
    .filter(({ data }) => id === undefined || (data.job_id ?? data.id) === id)
    .map(
      ({ name, data }) =>
        `${name} ${data.status ?? data.message.replace(/\d+ ms/, 'n ms').replace(/2\S+Z$/, '<time>')}`,
    );
}

/** The events of a job that fails once and is then done. */
const LIFE = [
  'status pending',
  'log attempt 1 started',
  'status processing',
  'log hello',
  'log attempt 1 failed: not yet; the next attempt is due at <time>',
  'status pending',
  'log attempt 2 started',
  'status processing',
  'log hello',
  'log attempt 2 succeeded in n ms',
  'status done',
];

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('GET /jobs/events', () => {
  it('sends every change of status and every log line live, from the creation on', async () => {
    const reader = await read('/jobs/events');
    const id = await submitJob(person, 'greet', {}, { max_retries: 1 });
    await until('the end', () => textsOf(reader, id).includes('status done'));

    expect(textsOf(reader, id)).toEqual(LIFE);
    const [created, started] = reader.events.filter(({ data }) => (data.job_id ?? data.id) === id);
    const times = { created_at: isoTime, updated_at: isoTime };
    expect(created?.data).toEqual({ id, type: 'greet', status: 'pending', retries: 0, max_retries: 1, ...times });
    expect(started?.data).toEqual({
      job_id: id,
      attempt: 1,
      message: 'attempt 1 started',
      level: 'info',
      timestamp: isoTime,
      kind: 'started',
      duration_ms: null,
      next_attempt_at: null,
      error_code: null,
    });
    expect(new Set(reader.events.map((event) => event.id)).size).toBe(reader.events.length);
  });

  it('has headers that keep proxies from buffering or caching it', async () => {
    const { headers } = await read('/jobs/events');

    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-store, no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('content-length')).toBeNull();
  });

  it('resumes where a client was, at any event and on any API process', async () => {
    const all = await read('/jobs/events');
    const beginning = all.lastEventId();
    const id = await submitJob(person, 'greet', {}, { max_retries: 1 });
    await until('the end', () => textsOf(all, id).includes('status done'));

    for (const lastEventId of [beginning, ...all.events.map((event) => event.id)]) {
      const seen = all.events.findIndex((event) => event.id === lastEventId) + 1;
      const rest = all.events.slice(seen);
      const resumed = await read('/jobs/events', { lastEventId }, other);
      const ids = () => resumed.events.map((event) => event.id);
      if (rest.length > 0) await until('the rest', () => ids().includes(rest.at(-1)?.id ?? ''));
      // It may repeat the first half of a line, but never skip one.
      expect(ids()).toEqual(expect.arrayContaining(rest.map((event) => event.id)));
      expect(resumed.events.length).toBeLessThanOrEqual(rest.length + 1);
      await resumed.close();
    }
  });

  it('a client that is disconnected repeatedly misses nothing of what many jobs write', async () => {
    const apis = [api, other];
    const keyOf = ({ name, data }: ServerEvent) =>
      name === 'status' ? `${data.id} ${data.status}` : `${data.job_id} ${data.attempt} ${data.message}`;
    let lastEventId = (await read('/jobs/events')).lastEventId();
    const seen = new Set<string>();
    const ids = new Set<string>();
    const submitting = Promise.all(
      Array.from({ length: 8 }, async (_, w) => {
        for (let n = 0; n < 15; n++) {
          ids.add(await submitJob(person, 'greet', { w, n }, { max_retries: 1 }));
        }
      }),
    );

    let turn = 0;
    const missing = () => [...ids].filter((id) => !seen.has(`${id} done`));
    await until(
      () => `the ends of ${missing().length} of ${ids.size} jobs: ${missing()}`,
      async () => {
        const reader = await readEvents(`${apis[turn++ % 2]?.url}/jobs/events`, { token: person.token, lastEventId });
        const enough = 1 + (turn % 37);
        const isAll = () => {
          const read = new Set([...seen, ...reader.events.map(keyOf)]);
          return ids.size === 120 && [...ids].every((id) => read.has(`${id} done`));
        };
        await until(
          () => `some events after ${lastEventId}; ${reader.events.length} came, without the ends of ${missing()}`,
          () => reader.events.length >= enough || isAll() || reader.hasEnded(),
        );
        await reader.close();
        for (const event of textsOf(reader)) expect(event).toMatch(/^(status|log) /);
        for (const event of reader.events) seen.add(keyOf(event));
        lastEventId = reader.lastEventId();
        return isAll();
      },
    );
    await submitting;

    for (const id of ids) {
      expect(seen).toContain(`${id} pending`);
      expect(seen).toContain(`${id} processing`);
      const { body } = await person.get(`/jobs/${id}/logs`);
      for (const { attempt, message } of body) expect(seen).toContain(`${id} ${attempt} ${message}`);
    }
  });

  it('accepts API keys', async () => {
    const { key } = await newKey(person);
    const reader = await readEvents(`${api.url}/jobs/events`, { key });
    readers.push(reader);
    const id = await submitJob(person, 'greet', {});
    await until('an event', () => textsOf(reader, id).length > 0);
  });

  it.each([
    'x',
    '1',
    '1.2.3',
    '-1.1',
    '1.-1',
    '1.0-',
    '18446744073709551616.1',
    '1.9223372036854775808',
    '18446744073709551615.1',
    '0x1.1',
    '1.1, 1.2',
    '1.00000000-0000-0000-0000-00000000000g',
  ])('rejects the Last-Event-ID %s', async (id) => {
    const answer = await person.get('/jobs/events', { headers: { 'last-event-id': id } });
    expectError(answer, 400, 'validation_failed', ['Last-Event-ID']);
  });
});

describe('GET /jobs/{id}/events', () => {
  it('begins with the current status and the log so far, and stays open when the job has finished', async () => {
    const id = await submitJob(person, 'greet', {}, { max_retries: 1 });
    await finishedJob(person, id);
    const reader = await read(`/jobs/${id}/events`);
    const lines = LIFE.filter((line) => line.startsWith('log'));
    await until('the log', () => reader.events.length > lines.length);

    expect(textsOf(reader)).toEqual(['status done', ...lines]);
    const listed = (await person.get('/jobs')).body.find((job: { id: string }) => job.id === id);
    expect(reader.events[0]?.data).toEqual({ ...listed, duration_ms: undefined });
    const { key } = await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id } });
    const line = { jobKey: key, orgId: person.orgId as OrgId, attempt: 2, at: new Date() };
    await world.db.jobLog.create({ data: { ...line, level: 'warn', message: 'one more' } });
    await until('the next line', () => textsOf(reader).at(-1) === 'log one more');
    expect(reader.hasEnded()).toBe(false);
  });

  it('sends only the events of that job, live', async () => {
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const id = await submitJob(person, 'greet', {}, { max_retries: 1, run_at });
    const reader = await read(`/jobs/${id}/events`);
    await makeDue(world.db, id);
    await submitJob(person, 'greet', {});
    await until('the end', () => textsOf(reader).includes('status done'));

    expect(textsOf(reader)).toEqual(LIFE);
  });

  it('resumes where a client was', async () => {
    const id = await submitJob(person, 'greet', {}, { max_retries: 1 });
    await finishedJob(person, id);
    const all = await read(`/jobs/${id}/events`, { lastEventId: '0' });
    await until('all events', () => textsOf(all).includes('status done'));
    expect(textsOf(all)).toEqual(LIFE.slice(1));

    for (const [n, { id: lastEventId }] of all.events.slice(0, -1).entries()) {
      const resumed = await read(`/jobs/${id}/events`, { lastEventId }, other);
      await until('the rest', () => textsOf(resumed).includes('status done'));
      const missing = all.events.slice(n + 1).filter((event) => !resumed.events.some(({ id }) => id === event.id));
      expect(missing).toEqual([]);
      await resumed.close();
    }
  });

  it.each(['x', '1.1', '-', '-1', '0-', '9223372036854775808', '9223372036854775807'])(
    'rejects the Last-Event-ID %s',
    async (lastEventId) => {
      const id = await submitJob(person, 'greet', {});
      const answer = await person.get(`/jobs/${id}/events`, { headers: { 'last-event-id': lastEventId } });
      expectError(answer, 400, 'validation_failed', ['Last-Event-ID']);
    },
  );
});
