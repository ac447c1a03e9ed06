import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { within } from '@jobline/runtime';

/** Closes the server. The connections that are still open after `limitMs` are destroyed. */
export type CloseServer = (limitMs: number) => Promise<void>;

const SWEEP_EVERY_MS = 50;

/**
 * Returns the function that closes the server. It destroys connections without a request within a moment, and the others
 * once their request is answered. Must be called before the server listens, because it tracks the connections itself:
 * Node's idle connections exclude those that have not sent a byte, and proxies open such connections in advance.
 */
export function createCloseServer(server: Server): CloseServer {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  function destroyUnused(): void {
    server.closeIdleConnections();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  return async (limitMs) => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Repeated, because a connection would stay open for its next request after a later response. Not immediately, because
    // the first request of a connection may be on its way.
    const sweep = setInterval(destroyUnused, SWEEP_EVERY_MS);
    await within(limitMs, closed, () => server.closeAllConnections());
    clearInterval(sweep);
  };
}
