import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { createHttpServer } from './server.js';

test('a connection with too many unanswered requests is closed, and the rest of its data is not parsed', async () => {
  const handled: string[] = [];
  let parsed = 0;
  const server = createHttpServer(({ url }) => void handled.push(String(url)));
  server.on('request', () => void parsed++);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // The cast: a string is the address of a pipe, and this server listens on TCP.
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.resume().write('GET /a HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000));

  await once(socket, 'close');

  expect(handled).toEqual(Array(8).fill('/a'));
  expect(parsed).toBe(9);
  const next = once(server, 'request');
  const other = connect(port, '127.0.0.1');
  other.write('GET /b HTTP/1.1\r\nhost: x\r\n\r\n');
  await next;
  expect(handled.at(-1)).toBe('/b');
  other.destroy();
  server.close();
});
