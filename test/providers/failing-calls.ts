import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { ProviderFailure } from '@jobline/handlers';
import { expect } from 'vitest';

/** A server that closes the connection after a request for `path`, or after any request. */
export async function startHangUp(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast: a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** An address where nothing listens. */
export async function closedUrl(): Promise<string> {
  const { url, close } = await startHangUp();
  await close();
  return url;
}

/** The failure of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<ProviderFailure> {
  const error = await call.then(
    () => null,
    (thrown) => thrown,
  );
  expect(error?.name).toBe('ProviderFailure');
  return error;
}
