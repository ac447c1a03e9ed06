import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type Person, register, type TestApi, until, type World } from '../../harness/index.js';

const KIB = 1024;
/** Half of the memory budget is for bodies that are being received, and half of that for one owner. */
const OWNER_BYTES = 200 * KIB;

let world: World;
let api: TestApi;
let person: Person;
const sockets: Socket[] = [];

beforeAll(async () => {
  world = await createWorld();
  api = await world.alone.api({
    clients: { connectionsPerAddress: 40 },
    settings: {
      trustProxy: 1,
      bodyBudget: { maxBytes: 4 * OWNER_BYTES, waitMs: 200 },
      callbacks: { SMS_WEBHOOK_SECRET: 'the secret' },
    },
  });
  person = await register(api.call);
});
afterEach(closeAll);
afterAll(() => world.end());

function closeAll(): void {
  for (const socket of sockets.splice(0)) socket.destroy();
}

async function signInFrom(address: string): Promise<number> {
  const body = { email: 'unknown@example.com', password: 'a password' };
  return (await api.call('POST', '/auth/login', { body, headers: { 'x-forwarded-for': address } })).status;
}

/** Sends a request without its last byte. Returns a function with the response so far. */
function sendUnfinished(path: string, { from = '192.0.2.1', sizeBytes = 60_000, token = '' } = {}): () => string {
  const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1' });
  sockets.push(socket);
  let heard = '';
  socket.on('data', (data) => {
    heard += data.toString();
  });
  socket.on('error', () => socket.destroy());
  const headers = [
    'host: x',
    'connection: close',
    'content-type: application/json',
    `content-length: ${sizeBytes}`,
    `x-forwarded-for: ${from}`,
    ...(token ? [`authorization: Bearer ${token}`] : []),
  ];
  socket.write(`POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${' '.repeat(sizeBytes - 1)}`);
  return () => heard;
}

const statusOf = (heard: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 0);

describe('unfinished bodies', () => {
  it.each([
    ['anonymous callers of one address', () => ({ from: '192.0.2.9' })],
    ['one organization', () => ({ token: person.token })],
  ])('get a share of the memory for %s, and are rejected beyond it', async (_name, who) => {
    const path = 'token' in who() ? '/jobs' : '/auth/login';
    const answers = Array.from({ length: 8 }, () => sendUnfinished(path, who()));
    // 3 × 60,000 bytes fit into 200 KiB.
    await until('five rejected requests', () => answers.filter((heard) => statusOf(heard()) === 503).length === 5);

    expect(answers.filter((heard) => heard() === '')).toHaveLength(3);
    expect(answers.map((heard) => heard()).find((heard) => heard !== '')).toContain('"code":"unavailable"');
    expect(await signInFrom('192.0.2.2')).toBe(401);
  });

  it('release their memory when their connections close', async () => {
    const from = '192.0.2.3';
    const answers = Array.from({ length: 4 }, () => sendUnfinished('/auth/login', { from, sizeBytes: 68_000 }));
    await until('a rejected request', () => answers.some((heard) => statusOf(heard()) === 503));
    expect(await signInFrom(from)).toBe(401); // a small body fits in addition to three of them
    const more = sendUnfinished('/auth/login', { from });
    await until('it to be rejected, too', () => statusOf(more()) === 503);

    closeAll();

    await until('the memory to be free', async () => {
      const again = sendUnfinished('/auth/login', { from });
      await signInFrom(from); // the bodies sent before this request have been read by then
      return again() === '';
    });
  });

  it.each([
    ['/webhooks/unknown', 404],
    ['/webhooks/africastalking', 401],
    ['/webhooks/africastalking?secret=wrong', 401],
    ['/webhooks/sendgrid', 401],
    ['/webhooks/mpesa?secret=any', 401],
    ['/jobs', 401],
  ])('to %s get their response %i before they are read', async (path, status) => {
    const heard = sendUnfinished(path);
    await until('the response', () => heard() !== '');

    expect(statusOf(heard())).toBe(status);
  });
});

describe('large bodies', () => {
  const large = (n: number) => ({ type: 'a', payload: { n, text: 'x'.repeat(400 * KIB) } });

  it('are stored one after another for each organization, even if many arrive at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => person.post('/jobs', large(n))));

    expect(answers.map(({ status }) => status).filter((status) => status !== 202 && status !== 503)).toEqual([]);
    expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThan(0);
  });

  it('are stored unchanged if they are full of quotation marks', async () => {
    const text = '"\\'.repeat(200 * KIB);
    const { body } = await person.post('/jobs', { type: 'a', payload: { text } });

    expect((await person.get(`/jobs/${body.id}`)).body.payload).toEqual({ text });
  });
});

describe('connections of one address', () => {
  it('are closed beyond its share, and the earlier ones are served', async () => {
    const open = Array.from({ length: 60 }, () => openConnection().socket);
    await until('twenty of them to be closed', () => open.filter((socket) => socket.destroyed).length >= 20);

    await expectServed(open);
  });

  it('are closed if they send further requests beyond its share before they have read a response', async () => {
    // No response follows that of an event stream.
    const requests = requestFor('/jobs/events') + requestFor('/healthz').repeat(7);
    const open = Array.from({ length: 10 }, () => openConnection(requests).socket);
    await until('six of them to be closed', () => open.filter((socket) => socket.destroyed).length >= 6);
    closeAll();

    // The server may close the first new ones: it has not noticed yet that the others are closed.
    await until('a response', async () => {
      const next = openConnection(requestFor('/healthz'));
      await until('a response or the end', () => next.heard() !== '' || next.socket.destroyed);
      return next.heard().includes('200');
    });
  });
});

describe('requests that a connection sends before it has read a response', () => {
  it('are answered in their order', async () => {
    const { heard } = openConnection(requestFor('/auth/me') + requestFor('/unknown') + requestFor('/healthz'));
    await until('three responses', () => statusesOf(heard()).length === 3);

    expect(statusesOf(heard())).toEqual(['200', '404', '200']);
  });

  it.each([
    ['of an organization', '/jobs', () => person.token],
    ['with wrong credentials', '/jobs', () => 'wrong'],
    ['to an unknown path', '/unknown', () => ''],
  ])('close it beyond the eighth: %s', async (_name, path, token) => {
    const { socket, heard } = openConnection(requestFor('/jobs/events') + requestFor(path, token()).repeat(1_000));
    await until('the connection to be closed', () => socket.destroyed);

    expect(statusesOf(heard()).length).toBeLessThanOrEqual(1);
    await expectServed([openConnection().socket]);
  });
});

/** Opens a connection and sends a text. `heard` returns what was received so far. */
function openConnection(text = '') {
  const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1' });
  sockets.push(socket);
  let heard = '';
  socket.on('data', (data) => {
    heard += data.toString();
  });
  socket.on('error', () => socket.destroy());
  socket.write(text);
  return { socket, heard: () => heard };
}

function requestFor(path: string, token = person.token): string {
  return `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`;
}

const statusesOf = (heard: string) => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

/** Asserts that the first of these connections that is open gets a response. */
async function expectServed(connections: Socket[]): Promise<void> {
  const [first] = connections.filter((socket) => !socket.destroyed);
  let heard = '';
  first?.on('data', (data) => {
    heard += data.toString();
  });
  first?.write(requestFor('/healthz'));
  await until('a response', () => heard.includes('200'));
}
