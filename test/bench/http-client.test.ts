import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openClient } from './http-client.js';

async function openServer(onRequest: (close: () => void) => void) {
  const server = createServer((request, response) => {
    onRequest(() => request.socket.destroy());
    response.setHeader('Content-Length', 2).end('ok');
  });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast: a server that listens on a port has such an address.
  const client = await openClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 2, {});
  onTestFinished(() => {
    client.close();
    server.close();
  });
  return { sockets, client };
}

it('a request opens a connection again that the server has closed while it was idle', async () => {
  const { sockets, client } = await openServer(() => undefined);
  expect(await client.post('/', '{}')).toEqual({ status: 200, body: 'ok' });

  // A socket that was ended closes when the other side has ended too.
  await Promise.all(sockets.map((socket) => once(socket.end(), 'close')));

  const answers = await Promise.all(['1', '2', '3'].map((body) => client.post('/', body)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});

it('a request is rejected if the server closes the connection before it answers', async () => {
  const { client } = await openServer((close) => close());

  await expect(client.post('/', '{}')).rejects.toThrow();
});
