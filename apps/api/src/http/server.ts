import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../limits/client-address.js';
import { answerMalformed } from './client-errors.js';

/** How long a client may take, and how much it may hold: nobody keeps a connection by being slow. */
export interface ClientLimits {
  /** From the first byte of a request, or from the connection's beginning, to the end of its head. */
  headMs: number;
  /** To the end of its body. */
  requestMs: number;
  /** How often those two are looked at. */
  checkEveryMs: number;
  /** Without a byte in either direction while a request is read or answered. Streams have comments in between. */
  silentMs: number;
  /** Between two requests. */
  keepAliveMs: number;
  headBytes: number;
  /** Connections at once; more are closed as they come. */
  connections: number;
  /** Of them, those of one address. */
  connectionsPerAddress: number;
}

export const CLIENT_LIMITS: ClientLimits = {
  headMs: 15_000,
  requestMs: 60_000,
  checkEveryMs: 5_000,
  silentMs: 120_000,
  // Longer than the usual proxy's, so that the proxy closes first and no request meets a closing connection.
  keepAliveMs: 65_000,
  headBytes: 16 * 1024,
  connections: 10_000,
  connectionsPerAddress: 1_000,
};

/** A server of HTTP that listens to nothing yet. What it cannot read it answers in the contract's form. */
export function createHttpServer(app: RequestListener, limits: ClientLimits = CLIENT_LIMITS): Server {
  const options = {
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headBytes,
  };
  const server = createServer(options, app);
  // Its connections are destroyed then: nobody listens for the event.
  server.timeout = limits.silentMs;
  server.maxConnections = limits.connections;
  limitPerAddress(server, limits.connectionsPerAddress);
  answerMalformed(server);
  // An Expect header that nobody knows is left unmet; Node would refuse it in a form of its own.
  server.on('checkExpectation', app);
  return server;
}

/** Closes connections of an address that has enough of them, before anything of them is read. */
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
