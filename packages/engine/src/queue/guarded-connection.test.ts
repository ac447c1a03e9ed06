import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { inTime } from './guarded-connection.js';

const LIMIT_MS = 20;

function blockFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('a command that never settles is rejected after its time limit', async () => {
  await expect(inTime(new Promise(() => undefined), LIMIT_MS)).rejects.toThrow('no answer within 20 ms');
});

test('the error of a command is passed on', async () => {
  await expect(inTime(Promise.reject(new Error('refused')), LIMIT_MS)).rejects.toThrow('refused');
});

test('an answer that arrived while the process was busy is not late', async () => {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));

  socket.write('ping');
  const received = inTime(answer, LIMIT_MS);
  blockFor(10 * LIMIT_MS);

  expect(await received).toBe('ping');
  socket.destroy();
  server.close();
});
