import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { startApi } from '@jobline/api/start';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { silentLogger } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  type EventReader,
  HANG_MS,
  type Person,
  readEvents,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError, newKey } from '../support.js';

const LINES = 3_000;
const LINE_BYTES = 8_000;

let world: World;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await world.end();
});

async function read(api: TestApi, path: string, who: { token?: string; key?: string }): Promise<EventReader> {
  const reader = await readEvents(api.url + path, who);
  ends.push(reader.close);
  return reader;
}

/** A client that reads nothing until its socket is resumed. */
function openLazily(url: string, path: string, person: Person): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  ends.push(() => socket.destroy());
  socket.pause();
  socket.on('error', () => undefined); // the API closed it
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n\r\n`);
  return socket;
}

/** A job with a log larger than all buffers between the API and the client. */
async function jobWithLongLog(person: Person): Promise<string> {
  const id = await submitJob(person, 'a', {}, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
  await world.db.$executeRaw`
    INSERT INTO job_logs (job_key, org_id, attempt, level, message, at)
    SELECT key, org_id, 1, 'info', n || repeat('x', ${LINE_BYTES}::int), now()
    FROM jobs, generate_series(1, ${LINES}::int) AS n WHERE id = ${id} AND org_id = ${person.orgId}::uuid`;
  return id;
}

/** Waits until the API has filled all buffers to the client. Returns the most bytes that the API buffered. */
async function untilFull(unsentBytes: () => number): Promise<number> {
  let max = 0;
  let sameLooks = 0;
  let before = -1;
  await until('all buffers to the client to be full', () => {
    const held = unsentBytes();
    max = Math.max(max, held);
    sameLooks = held > 0 && held === before ? sameLooks + 1 : 0;
    before = held;
    return sameLooks > 20;
  });
  return max;
}

it('a stream sends a comment regularly, so that no proxy takes the connection for dead', async () => {
  const api = await world.api({ streams: { commentEveryMs: 50 } });
  const person = await register(api.call);
  const id = await submitJob(person, 'a', {});
  const [all, one] = [await read(api, '/jobs/events', person), await read(api, `/jobs/${id}/events`, person)];

  await until('comments', () => all.comments.length > 3 && one.comments.length > 3);
});

it('a stream sends an event even without Redis', async () => {
  const api = await world.alone.api({ redisUrl: 'redis://127.0.0.1:1' });
  const person = await register(api.call);
  const reader = await read(api, '/jobs/events', person);

  const id = await submitJob(person, 'a', {});

  await until('the event', () => reader.events.some(({ data }) => data.id === id));
});

it('streams send an event as soon as any process has written it', async () => {
  const lookEveryMs = { unwoken: 3_600_000, woken: 3_600_000 };
  const greet = defineHandler({
    type: 'greet',
    async run(_payload, { log, signal }) {
      log('info', 'hello');
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const catalogue = createCatalogue([greet]);
  const [here, there] = [await world.api({ streams: { lookEveryMs } }), await world.api()];
  await world.worker({ catalogue });
  const person = await register(here.call);
  const readers = [await read(here, '/jobs/events', person)];
  const { body } = await there.call('POST', '/jobs', { token: person.token, body: { type: 'greet', payload: {} } });
  readers.push(await read(here, `/jobs/${body.id}/events`, person));

  for (const reader of readers) {
    await until('the line of a running attempt', () => reader.events.some(({ data }) => data.message === 'hello'));
  }
  await here.call('POST', `/jobs/${body.id}/cancel`, { token: person.token });
  for (const reader of readers)
    await until('the end', () => reader.events.some(({ data }) => data.status === 'failed'));
});

it('a client that disconnects leaves nothing behind', async () => {
  const api = await world.api();
  const person = await register(api.call);
  const id = await submitJob(person, 'a', {});
  const readers = [await read(api, '/jobs/events', person), await read(api, `/jobs/${id}/events`, person)];
  expect(api.openStreams()).toBe(2);

  for (const reader of readers) await reader.close();

  await until('both to be closed', () => api.openStreams() === 0);
});

it('HEAD is answered immediately and opens no stream', async () => {
  const api = await world.api();
  const person = await register(api.call);

  const answer = await api.call('HEAD', '/jobs/events', { token: person.token });

  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(api.openStreams()).toBe(0);
});

it('a revoked key, a key with other types and an ended session end their streams on every process', async () => {
  const [api, other] = [await world.api(), await world.api()];
  const person = await register(api.call);
  const [key, changed] = [await newKey(person), await newKey(person)];
  const streams = [
    await read(other, '/jobs/events', changed),
    await read(api, '/jobs/events', key),
    await read(other, '/jobs/events', key),
    await read(other, '/jobs/events', person),
  ];
  const { body } = await api.call('POST', '/auth/login', { body: { email: person.email, password: person.password } });
  const stays = await read(other, '/jobs/events', { token: body.token });

  await api.call('DELETE', `/org/api-keys/${key.id}`, { token: person.token });
  await api.call('PATCH', `/org/api-keys/${changed.id}`, { token: person.token, body: { types: ['b'] } });
  await person.post('/auth/logout');

  for (const stream of streams) await until('the end', () => stream.hasEnded());
  expect(stays.hasEnded()).toBe(false);
  await api.call('POST', '/jobs', { token: body.token, body: { type: 'a', payload: {} } });
  await until('an event for the session that stays', () => stays.events.length > 0);
  expect(streams.flatMap(({ events }) => events)).toEqual([]);
});

it('streams beyond the limit of an organization or of the process are rejected until one is closed', async () => {
  const api = await world.alone.api({ streams: { maxPerOrg: 2, maxTotal: 3 } });
  const [one, two] = [await register(api.call), await register(api.call)];
  const first = await read(api, '/jobs/events', one);
  await read(api, '/jobs/events', one);
  const id = await submitJob(one, 'a', {});

  for (const path of ['/jobs/events', `/jobs/${id}/events`]) {
    const answer = await one.get(path);
    expectError(answer, 429, 'rate_limited');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(answer.headers.get('ratelimit-limit')).toBe('2');
  }
  await read(api, '/jobs/events', two);
  expectError(await two.get('/jobs/events'), 429, 'rate_limited');

  await first.close();
  await until('free capacity', () => api.openStreams() === 2);
  expect((await read(api, '/jobs/events', one)).status).toBe(200);
});

it('streams that are requested at the same moment are counted before any of them begins', async () => {
  const api = await world.alone.api({ streams: { maxPerOrg: 3, maxTotal: 100 } });
  const person = await register(api.call);
  const id = await submitJob(person, 'a', {});
  const paths = Array.from({ length: 40 }, (_, n) => (n % 2 ? '/jobs/events' : `/jobs/${id}/events`));

  const readers = await Promise.all(paths.map((path) => read(api, path, person)));

  expect(readers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(readers.filter(({ status }) => status === 429)).toHaveLength(37);
});

it('a stream that never begins does not count', async () => {
  const api = await world.alone.api({ streams: { maxPerOrg: 1 } });
  const person = await register(api.call);
  for (let n = 0; n < 3; n++) {
    expectError(await person.get('/jobs/unknown/events'), 404, 'not_found');
    expectError(
      await api.call('GET', '/jobs/events', { ...person, headers: { 'last-event-id': '?' } }),
      400,
      'validation_failed',
    );
    expect((await api.call('HEAD', '/jobs/events', person)).status).toBe(200);
  }

  expect((await read(api, '/jobs/events', person)).status).toBe(200);
});

it('an organization with many open streams cannot keep another one from its first', async () => {
  const api = await world.alone.api({ streams: { maxPerOrg: 3, maxTotal: 3 } });
  const [many, few] = [await register(api.call), await register(api.call)];
  const oldest = await read(api, '/jobs/events', many);
  const others = [await read(api, '/jobs/events', many), await read(api, '/jobs/events', many)];

  const first = await read(api, '/jobs/events', few);

  expect(first.status).toBe(200);
  await until('the oldest stream to end', () => oldest.hasEnded());
  expect([first, ...others].map((reader) => reader.hasEnded())).toEqual([false, false, false]);
  expectError(await many.get('/jobs/events'), 429, 'rate_limited');
});

it('a client that reads nothing is waited for, and its events are not buffered', async () => {
  const api = await world.api();
  const person = await register(api.call);
  const id = await jobWithLongLog(person);

  const socket = openLazily(api.url, `/jobs/${id}/events`, person);
  const heldMax = await untilFull(api.unsentBytes);

  expect(heldMax).toBeLessThan(1024 * 1024);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.resume();
  await until('all of it', () => text.includes(`"message":"${LINES}x`));
  expect(text.match(/^event: log$/gm)).toHaveLength(LINES);
});

it('an API that stops ends its streams at once, also those of clients that read nothing', async () => {
  const place = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl, PORT: 0, HOST: '127.0.0.1' };
  const rest = { NODE_ENV: 'test', PUBLIC_URL: 'http://localhost', JWT_TTL: 3_600_000, BCRYPT_COST: 4 } as const;
  const limits = {
    QUEUE_PREFIX: world.prefix,
    ENCRYPTION_KEY: [],
    REGISTRATION: 'open',
    SENDER_IDS: 'open',
    TRUST_PROXY: false,
    TRACE_SAMPLING: 'own',
    CORS_ORIGINS: [],
    MAX_BODY_BYTES: 1_048_576,
    MAX_FILE_BYTES: 25 * 1_048_576,
    RATE_LIMIT_SUBMIT_PER_S: 5_000,
    RATE_LIMIT_SUBMIT_BYTES_PER_S: 33_554_432,
    RATE_LIMIT_SEND_PER_MIN: 600,
    RATE_LIMIT_CONTROL_PER_MIN: 3_000,
    RATE_LIMIT_READ_PER_MIN: 12_000,
    RATE_LIMIT_LOGIN_PER_MIN: 20,
    RATE_LIMIT_CREDENTIALS_PER_MIN: 300,
    MAX_STORED_BYTES_PER_ORG: 53_687_091_200,
    RETENTION_DAYS: 30,
    ORG_MAX_WAITING: null,
    DNS_SERVERS: [],
    WORKER_LEASE_MS: 15_000,
    HANDLER_STACKS: 'admins',
    LOG_LEVEL: 'error',
  } as const;
  const secret = { JWT_SECRET: 'a secret of the tests, long enough for HS256' };
  const api = await world.api();
  const person = await register(api.call);
  const id = await jobWithLongLog(person);
  const stopping = await startApi({ ...place, ...rest, ...limits, ...secret }, silentLogger, {
    finishWithinMs: 10 * HANG_MS, // if it waited for streams as for other requests, the test would end first
  });
  const url = `http://127.0.0.1:${stopping.port}`;
  const reader = await readEvents(`${url}/jobs/events`, person);
  const sockets: Socket[] = [];
  const keep = (message: unknown) => void sockets.push((message as { socket: Socket }).socket); // as Node documents it
  subscribe('net.server.socket', keep);
  ends.push(() => unsubscribe('net.server.socket', keep));
  openLazily(url, `/jobs/${id}/events`, person);
  await untilFull(() => sockets.reduce((sum, socket) => sum + socket.writableLength, 0));

  await stopping.stop();

  await until('the client to see the end', () => reader.hasEnded());
  await reader.close();
});
