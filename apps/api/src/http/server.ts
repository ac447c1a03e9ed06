import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../rate-limits/client-address.js';
import { answerClientErrors } from './client-errors.js';

/** Time and size limits for clients, so that no client can keep a connection by being slow. */
export interface ClientLimits {
  /** From the first byte of a request, or from the start of the connection, to the end of the headers. */
  headMs: number;
  /** From the same start to the end of the body. */
  requestMs: number;
  /** How often these two limits are checked. */
  checkEveryMs: number;
  /** Longest time without a byte in either direction during a request. Streams send comments within it. */
  silentMs: number;
  /** Longest time between two requests. */
  keepAliveMs: number;
  headBytes: number;
  /** Maximum number of open connections. More are closed immediately. */
  connections: number;
  /** Maximum number of open connections of one address. */
  connectionsPerAddress: number;
}

export const CLIENT_LIMITS: ClientLimits = {
  headMs: 15_000,
  requestMs: 60_000,
  checkEveryMs: 5_000,
  silentMs: 120_000,
  // Longer than the timeout of usual proxies, so that the proxy closes first and no request hits a closing connection.
  keepAliveMs: 65_000,
  headBytes: 16 * 1024,
  connections: 10_000,
  connectionsPerAddress: 1_000,
};

/** Creates an HTTP server that does not listen yet. It answers malformed requests in the error format of the API. */
export function createHttpServer(app: RequestListener, limits: ClientLimits = CLIENT_LIMITS): Server {
  const options = {
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headBytes,
  };
  const server = createServer(options, app);
  // Node destroys silent connections, because nothing listens for the timeout event.
  server.timeout = limits.silentMs;
  server.maxConnections = limits.connections;
  limitPerAddress(server, limits.connectionsPerAddress);
  answerClientErrors(server);
  // An unknown Expect header is ignored. Node's own response would have another error format.
  server.on('checkExpectation', app);
  return server;
}

/** Closes new connections of an address that has too many, before anything is read from them. */
function limitPerAddress(server: Server, limit: number): void {
  const counts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const key = addressKey(socket.remoteAddress);
    const count = counts.get(key) ?? 0;
    if (count >= limit) return void socket.destroy();
    counts.set(key, count + 1);
    socket.once('close', () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    });
  });
}
