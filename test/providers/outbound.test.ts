import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../harness/index.js';
import { call, close, closeAll, get, listen, open, openWithNames, receiver, start } from './receivers.js';

afterEach(closeAll);

describe('an outbound call', () => {
  test('sends method, path, query, headers and body, and requests no compression', async () => {
    const { outbound, url, requests } = await receiver((_request, response) => response.end('thanks'));

    const answer = await call(outbound, `${url}/a%20b/c?d=e&f#hash`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-own': '1' },
      body: '{"é":1}',
    });

    expect(answer).toMatchObject({ status: 200, cut: false });
    expect(Buffer.from(answer.body).toString()).toBe('thanks');
    expect(requests).toEqual([expect.objectContaining({ method: 'POST', url: '/a%20b/c?d=e&f', body: '{"é":1}' })]);
    expect(requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '8',
      'accept-encoding': 'identity',
      'x-own': '1',
    });
  });

  // A pooled connection would skip the check of the address.
  test('uses a new connection, which is not reused', async () => {
    const { outbound, url, requests, connections } = await receiver((_request, response) => response.end());

    await get(outbound, url);
    await get(outbound, url);

    expect(connections()).toBe(2);
    expect(requests.map(({ headers }) => headers.connection)).toEqual(['close', 'close']);
  });

  test('does not follow a redirect', async () => {
    const victim = await listen();
    const { outbound, url } = await receiver((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${victim.port}/` }).end();
    });

    const answer = await get(outbound, url);

    expect(answer).toMatchObject({ status: 302, headers: { location: `http://127.0.0.1:${victim.port}/` } });
    expect(victim.connections).toBe(0);
  });

  test('returns every header with its lower-case name, and joins repeated headers', async () => {
    const { outbound, url } = await receiver((_request, response) => {
      response.writeHead(200, { 'Retry-After': '5', 'X-Two': ['a', 'b'] }).end();
    });

    expect((await get(outbound, url)).headers).toMatchObject({ 'retry-after': '5', 'x-two': 'a, b' });
  });
});

describe('the answer to an outbound call', () => {
  test.each([
    ['shorter than the limit', 99, false],
    ['as long as the limit', 100, false],
    ['longer than the limit', 101, true],
  ])('a response that is %s is truncated only if necessary', async (_what, sizeBytes, cut) => {
    const { outbound, url } = await receiver((_request, response) => response.end('x'.repeat(sizeBytes)));

    const answer = await call(outbound, url, { maxBytes: 100 });

    expect(answer.cut).toBe(cut);
    expect(answer.body.length).toBe(Math.min(sizeBytes, 100));
  });

  // Reading it completely would never end.
  test('a response that never ends is truncated, and its connection is closed', async () => {
    let closed: Promise<unknown> | undefined;
    const { outbound, url } = await receiver((_request, response) => {
      closed = once(response, 'close');
      const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more));
      more();
    });

    const answer = await call(outbound, url, { maxBytes: 100_000 });
    await closed;

    expect(answer).toMatchObject({ status: 200, cut: true });
    expect(answer.body.length).toBe(100_000);
  });

  test('a response that is compressed anyway is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const { outbound, url } = await receiver((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });

    const answer = await call(outbound, url, { maxBytes: bomb.length });

    expect(answer.cut).toBe(false);
    expect(Buffer.compare(answer.body, bomb)).toBe(0);
  });
});

describe('an outbound call fails', () => {
  test.each<[string, RequestListener]>([
    ['sends nothing', () => {}],
    [
      'sends headers and no body',
      (_request, response) => response.writeHead(200, { 'content-length': '5' }).flushHeaders(),
    ],
    [
      'stops in the middle of the body',
      (_request, response) => void response.writeHead(200, { 'content-length': '5' }).write('ab'),
    ],
  ])('at the deadline for a receiver that %s', async (_what, listener) => {
    const { outbound, url, host } = await receiver(listener);

    await expect(call(outbound, url, { timeoutMs: 150 })).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: `no answer from ${host} within 0.15 s`,
    });
  });

  // One deadline for the whole call. Otherwise a receiver that sends a byte now and then could occupy a slot of a
  // worker without end.
  test('at the deadline for a receiver that sends its answer slowly', async () => {
    const { outbound, url } = await receiver((_request, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(drip));
    });

    await expect(call(outbound, url, { timeoutMs: 150 })).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  test('at the deadline for a name server that does not answer', async () => {
    const { outbound, names } = await openWithNames();
    names.break('silent');

    await expect(call(outbound, 'http://silent.test/', { timeoutMs: 150 })).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'no answer from silent.test within 0.15 s',
    });
  });

  test('with a clear message for a name that does not exist', async () => {
    const { outbound } = await openWithNames();

    await expect(get(outbound, 'http://nowhere.test/')).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'the name of nowhere.test could not be resolved',
    });
  });

  test('with a clear message for a refused connection', async () => {
    const { outbound, url, host, server } = await receiver(() => {});
    await close(server);

    await expect(get(outbound, url)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: `connection refused by ${host}`,
    });
  });

  test.each<[string, RequestListener]>([
    ['before its answer', (request) => request.socket.resetAndDestroy()],
    ['normally before its answer', (request) => request.socket.end()],
    [
      'in the middle of its answer',
      (request, response) => {
        response.writeHead(200, { 'content-length': '5' }).write('ab', () => request.socket.resetAndDestroy());
      },
    ],
  ])('with a clear message if the receiver closes the connection %s', async (_what, listener) => {
    const { outbound, url, host } = await receiver(listener);

    await expect(get(outbound, url)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: `${host} closed the connection before its answer was complete`,
    });
  });

  test('with a clear message for a receiver without HTTP', async () => {
    const server = createTcpServer((socket) => socket.resume().end('220 mail.test ESMTP\r\n'));
    const port = await start(server);

    await expect(get(open({ allowHosts: ['127.0.0.1'] }), `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: `127.0.0.1:${port} did not answer in HTTP`,
    });
  });

  test('with a clear message for a receiver without TLS', async () => {
    const { outbound, host } = await receiver(() => {});

    await expect(get(outbound, `https://${host}/`)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining(`no secure connection to ${host}`),
    });
  });
});

describe('the signal of an outbound call', () => {
  const reason = new Error('the job was canceled');

  test('prevents the call if it was aborted before', async () => {
    const { outbound, url, connections } = await receiver(() => {});

    await expect(call(outbound, url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    expect(connections()).toBe(0);
  });

  test('cancels the call with its reason during the lookup', async () => {
    const ending = new AbortController();
    const { outbound, names } = await openWithNames();
    names.break('silent');

    const ended = expect(call(outbound, 'http://silent.test/', { signal: ending.signal })).rejects.toBe(reason);
    await until('the name to be asked for', () => names.asked.length > 0);
    ending.abort(reason);

    await ended;
  });

  test('cancels the call with its reason before the answer, and closes the connection', async () => {
    const ending = new AbortController();
    let closed: Promise<unknown> | undefined;
    const { outbound, url } = await receiver((_request, response) => {
      closed = once(response, 'close');
      ending.abort(reason);
    });

    await expect(call(outbound, url, { signal: ending.signal })).rejects.toBe(reason);
    await closed;
  });

  test('cancels the call with its reason during the answer', async () => {
    const ending = new AbortController();
    const { outbound, url } = await receiver((_request, response) => {
      response.writeHead(200, { 'content-length': '5' }).write('ab', () => ending.abort(reason));
    });

    await expect(call(outbound, url, { signal: ending.signal })).rejects.toBe(reason);
  });
});

test('closing the outbound client ends the calls in progress', async () => {
  let arrived: (() => void) | undefined;
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { outbound, url } = await receiver(() => arrived?.());

  const call = get(outbound, url);
  const failed = expect(call).rejects.toMatchObject({ code: 'provider_unavailable' });
  await arrival;
  await outbound.close();

  await failed;
});
