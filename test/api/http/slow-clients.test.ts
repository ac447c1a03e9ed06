import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  type Person,
  readEvents,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';

/** Limits that are a few hundred times shorter than in production. */
const LIMITS = { headMs: 400, requestMs: 1_200, checkEveryMs: 50, silentMs: 1_500, keepAliveMs: 5_000 };

let world: World;
let api: TestApi;
let person: Person;
const sockets: Socket[] = [];

beforeAll(async () => {
  world = await createWorld();
  // Not at the API with the short limits: a registration hashes a password, which takes longer on a busy machine.
  person = await register((await world.api()).call);
  api = await world.api({ clients: LIMITS, streams: { commentEveryMs: 300 } });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => world.end());

interface Speaker {
  socket: Socket;
  heard(): string;
}

/** A client that sends its bytes to the API one by one. */
function speak(text: string): Speaker {
  const socket = connect({ port: Number(new URL(api.url).port), host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  let heard = '';
  socket.on('data', (data) => {
    heard += data.toString();
  });
  // A connection that the server has closed may report an error.
  socket.on('error', () => socket.destroy());
  socket.write(text);
  return { socket, heard: () => heard };
}

function drip(socket: Socket, bytes: string): void {
  const timer = setInterval(() => socket.write(bytes), 50);
  socket.once('close', () => clearInterval(timer));
}

/** Waits on the API's side: a client that only listens does not notice that it was disconnected. */
const untilDisconnected = () => until('the connections to be closed', () => api.openSockets() === 0);
const head = (more: string) => `POST /jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n${more}`;

describe('an incomplete request gets a response and is cut off', () => {
  it('when its head stops', async () => {
    const speaker = speak('GET /jobs HTTP/1.1\r\nhost: x\r\n');
    await until('the response', () => speaker.heard().includes('\r\n\r\n{'));
    await untilDisconnected();
    expect(speaker.heard()).toMatch(/^HTTP\/1\.1 400 [\s\S]*was not received in time/);
  });

  it('when its head arrives byte by byte', async () => {
    const speaker = speak('GET /jobs HTTP/1.1\r\nhost: x\r\nx-slow: ');
    drip(speaker.socket, 'a');
    await until('the response', () => speaker.heard().includes('\r\n\r\n{'));
    await untilDisconnected();
    expect(speaker.heard()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('when its body stops', async () => {
    const speaker = speak(head('content-type: application/json\r\ncontent-length: 100\r\n\r\n{'));
    await until('the response', () => speaker.heard().includes('\r\n\r\n{'));
    await untilDisconnected();
    expect(speaker.heard()).toMatch(/^HTTP\/1\.1 400 [\s\S]*was not received in time/);
  });

  it('when its body arrives byte by byte, declared or in chunks', async () => {
    const declared = speak(head('content-type: application/json\r\ncontent-length: 100000\r\n\r\n{'));
    drip(declared.socket, ' ');
    const chunked = speak(head('content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'));
    drip(chunked.socket, '1\r\n \r\n');
    const answers = () => [declared, chunked].filter(({ heard }) => heard() !== '').length;
    await until('the responses', () => answers() === 2);
    await untilDisconnected();
    for (const { heard } of [declared, chunked]) expect(heard()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('when its body is endless and not needed', async () => {
    const speaker = speak('POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n{');
    drip(speaker.socket, ' ');
    await until('the response', () => speaker.heard().includes('\r\n\r\n{'));
    await untilDisconnected();
    expect(speaker.heard()).toMatch(/^HTTP\/1\.1 404 /);
  });
});

it('a connection on which nothing was sent is closed without a response', async () => {
  const speaker = speak('');
  await until('the connection', () => api.openSockets() > 0);
  await untilDisconnected();

  expect(speaker.heard()).toBe('');
});

it('a request that is not HTTP gets one response, and more bytes do not keep its connection open', async () => {
  const speaker = speak('hello there\r\n\r\n');
  drip(speaker.socket, 'x');
  await until('the response', () => speaker.heard() !== '');
  await untilDisconnected();
  expect(speaker.heard().match(/HTTP\/1\.1 400 /g)).toHaveLength(1);
});

describe('bytes that are not HTTP, after a request', () => {
  it('end its response while it is written, without an error response inside it', async () => {
    const speaker = speak(`GET /jobs/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n\r\n`);
    await until('the stream', () => /\r\n\r\n[\s\S]*:/.test(speaker.heard()));
    speaker.socket.write('hello there\r\n\r\n');
    await untilDisconnected();
    expect(speaker.heard()).toMatch(/^HTTP\/1\.1 200 /);
    expect(speaker.heard()).not.toContain('HTTP/1.1 400');
  });

  it('do not get an error response in place of the response to the request', async () => {
    const body = '{"type":"count_down","payload":{}}';
    const more = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const { socket, heard } = speak(`${head(more)}${body}hello there\r\n\r\n`);
    await until('the end', () => socket.readableEnded || socket.destroyed);
    expect(heard()).not.toContain('HTTP/1.1 400');
  });

  it('get their own error response after the response to the request', async () => {
    const speaker = speak('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await until('the response', () => speaker.heard().includes('\r\n\r\n{'));
    speaker.socket.write('hello there\r\n\r\n');
    await until('the error response', () => speaker.heard().includes('HTTP/1.1 400 '));
    await untilDisconnected();
  });
});

it('a head of more than 16 KiB is rejected, with one large header or many small ones', async () => {
  const many = Array.from({ length: 3_000 }, (_, n) => `x-${n}: y\r\n`).join('');
  for (const more of [`x-large: ${'y'.repeat(17_000)}\r\n`, many]) {
    const speaker = speak(`GET /healthz HTTP/1.1\r\nhost: x\r\n${more}\r\n`);
    await until('the response', () => speaker.heard().includes('\r\n\r\n{'));
    await untilDisconnected();
    expect(speaker.heard()).toMatch(/^HTTP\/1\.1 400 [\s\S]*headers are too large/);
  }
});

it('a connection is kept for the next request, and closed when none arrives', async () => {
  const request = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
  const speaker = speak(request);
  await until('the first response', () => speaker.heard().match(/HTTP\/1\.1 200/g)?.length === 1);
  speaker.socket.write(request);
  await until('the second response', () => speaker.heard().match(/HTTP\/1\.1 200/g)?.length === 2);
  await untilDisconnected();
});

it('an event stream is not affected by these limits', async () => {
  const reader = await readEvents(`${api.url}/jobs/events`, person);
  // Together these take more than twice the longest limit.
  for (let n = 0; n < 3; n++) {
    const slow = speak(head('content-type: application/json\r\ncontent-length: 100\r\n\r\n{'));
    await until('a request to be cut off', () => slow.socket.readableEnded || slow.socket.destroyed);
  }
  expect(reader.hasEnded()).toBe(false);
  const id = await submitJob(person, 'a', {});
  await until('the event', () => reader.events.some(({ data }) => JSON.stringify(data).includes(id)));
  await reader.close();
});

describe('a client that reads a large file', () => {
  const bytes = randomBytes(24 * 1024 * 1024);

  let id: string;

  beforeAll(async () => {
    id = await submitJob(person, 'a', {});
    const { key: jobKey } = await world.db.job.findFirstOrThrow({ where: { orgId: person.orgId, id } });
    const sha256 = Uint8Array.from(createHash('sha256').update(bytes).digest());
    const file = { jobKey, name: 'large.bin', contentType: 'application/octet-stream', sha256 };
    await world.db.artifact.create({ data: { ...file, size: bytes.length, bytes } });
  });

  function fetchFile(): Speaker {
    const path = `/jobs/${id}/artifacts/large.bin`;
    const speaker = speak(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n\r\n`);
    speaker.socket.pause();
    return speaker;
  }

  it('is cut off if it reads nothing, and the file is not buffered in memory', async () => {
    fetchFile();
    await until('the response to begin', () => api.unsentBytes() > 0);
    expect(api.unsentBytes()).toBeLessThan(4 * 1024 * 1024);
    await untilDisconnected();
  });

  it('gets the whole file if it reads a little from time to time', async () => {
    const { socket } = fetchFile();
    let taken = 0;
    socket.removeAllListeners('data');
    socket.on('data', (data) => {
      taken += data.length;
    });
    // Twelve pieces, with pauses that together are longer than any limit.
    const timer = setInterval(() => {
      socket.resume();
      const target = taken + bytes.length / 12;
      const stop = () => {
        if (taken >= target) socket.off('data', stop).pause();
      };
      socket.on('data', stop);
    }, 250);
    await until('the file', () => taken > bytes.length);
    clearInterval(timer);
  });
});
