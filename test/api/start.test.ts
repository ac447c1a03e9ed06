import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { startApi } from '@jobline/api/start';
import { PortTaken, silentLogger } from '@jobline/runtime';
import { expect, it } from 'vitest';
import { HANG_MS } from '../harness/index.js';

const config = {
  NODE_ENV: 'test',
  DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/x',
  REDIS_URL: 'redis://127.0.0.1:1',
  QUEUE_PREFIX: 'jobline',
  PORT: 0,
  HOST: '127.0.0.1',
  PUBLIC_URL: 'http://localhost',
  ENCRYPTION_KEY: [],
  JWT_TTL: 3_600_000,
  BCRYPT_COST: 4,
  REGISTRATION: 'open',
  SENDER_IDS: 'open',
  TRUST_PROXY: false,
  TRACE_SAMPLING: 'own',
  CORS_ORIGINS: [],
  MAX_BODY_BYTES: 1_048_576,
  MAX_FILE_BYTES: 25 * 1024 ** 2,
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

it('the API starts without Postgres and Redis, and reports that it is not ready', async () => {
  const api = await startApi(config, silentLogger);
  const url = `http://127.0.0.1:${api.port}`;
  try {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  } finally {
    await api.stop();
  }
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

it('a port in use is reported in one sentence, and no connection stays open', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo; // The cast: the server listens on a port, not on a pipe.
  try {
    await expect(startApi({ ...config, PORT: port }, silentLogger)).rejects.toThrow(PortTaken);
    await expect(startApi({ ...config, PORT: port }, silentLogger)).rejects.toThrow(
      /^Port \d+ on 127\.0\.0\.1 is used by another process: .*\.$/,
    );
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

it('malformed requests and too large headers are answered in the error format of the API', async () => {
  const api = await startApi(config, silentLogger);
  try {
    for (const text of ['hello\r\n\r\n', `GET /jobs HTTP/1.1\r\nhost: x\r\nx-api-key: ${'k'.repeat(40_000)}\r\n\r\n`]) {
      const answer = await speak(api.port, text);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      const { error } = JSON.parse(body);
      expect(error).toEqual({ code: 'validation_failed', message: expect.any(String), request_id: expect.any(String) });
      expect(head).toContain(`X-Request-Id: ${error.request_id}`);
    }
  } finally {
    await api.stop();
  }
});

it('the API finishes a running request before it stops', async () => {
  const api = await startApi(config, silentLogger);
  const socket = connect(api.port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += data.toString();
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write('POST /auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{');
  await new Promise((resolve) => socket.once('connect', resolve));
  await fetch(`http://127.0.0.1:${api.port}/healthz`);

  const stopped = api.stop();
  socket.write('}');
  await Promise.all([stopped, closed]);

  expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*"validation_failed"/);
});

it('connections without a request do not delay the stop of the API', async () => {
  const api = await startApi(config, silentLogger, { finishWithinMs: 10 * HANG_MS });
  const unused = connect(api.port, '127.0.0.1');
  const waiting = connect(api.port, '127.0.0.1');
  const closed = Promise.all([once(unused, 'close'), once(waiting, 'close')]);
  waiting.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(waiting, 'data');

  await api.stop();
  await closed;
});

function speak(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (data) => {
      answer += data.toString();
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
    socket.write(text);
  });
}
