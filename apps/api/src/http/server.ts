import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorView } from '@jobline/contracts';
import { randomId, within } from '@jobline/runtime';
import { addressKey } from '../rate-limits/client-address.js';

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
  /** Maximum number of open connections of one address, where each further unanswered request of a connection counts too. */
  connectionsPerAddress: number;
  /** Maximum number of requests of one connection that have arrived and are not answered. */
  unanswered: number;
}

const CLIENT_LIMITS: ClientLimits = {
  headMs: 15_000,
  requestMs: 60_000,
  checkEveryMs: 5_000,
  silentMs: 120_000,
  // Longer than the timeout of usual proxies, so that the proxy closes first and no request hits a closing connection.
  keepAliveMs: 65_000,
  headBytes: 16 * 1024,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  unanswered: 8,
};

/** Behind a proxy all connections come from the proxy's address, so the limit per address does not apply there. */
export function clientLimits(configured: { CONNECTIONS_PER_ADDRESS?: number; TRUST_PROXY: unknown }): ClientLimits {
  const { connections, connectionsPerAddress } = CLIENT_LIMITS;
  const usual = configured.TRUST_PROXY === false ? connectionsPerAddress : connections;
  return { ...CLIENT_LIMITS, connectionsPerAddress: configured.CONNECTIONS_PER_ADDRESS ?? usual };
}

/** Creates an HTTP server that does not listen yet. It answers malformed requests in the error format of the API. */
export function createHttpServer(app: RequestListener, limits: ClientLimits = CLIENT_LIMITS): Server {
  const options = {
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.headBytes,
  };
  const server = createServer(options);
  // Node destroys silent connections, because nothing listens for the timeout event.
  server.timeout = limits.silentMs;
  server.maxConnections = limits.connections;
  const admits = limitPerAddress(server, limits);
  answerClientErrors(server);
  const serve: RequestListener = (req, res) => {
    if (admits(req, res)) app(req, res);
  };
  server.on('request', serve);
  // An unknown Expect header is ignored. Node's own response would have another error format.
  server.on('checkExpectation', serve);
  return server;
}

/**
 * Closes new connections of an address that has too many, before anything is read from them. Returns whether a request may be handled.
 * Node parses every request that a client sends before it has read a response, so without a limit one connection could start
 * thousands at once. A connection with too many of them is closed, as is one whose further requests exceed the share of its address.
 */
function limitPerAddress(
  server: Server,
  { connectionsPerAddress: limit, unanswered: maxUnanswered }: ClientLimits,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const counts = new Map<string, number>();
  const clients = new WeakMap<Socket, { key: string; unanswered: number }>();

  function add(key: string, change: number): void {
    const count = (counts.get(key) ?? 0) + change;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  }

  const isFull = (key: string) => (counts.get(key) ?? 0) >= limit;

  server.on('connection', (socket: Socket) => {
    const key = addressKey(socket.remoteAddress);
    if (isFull(key)) return void socket.destroy();
    const client = { key, unanswered: 0 };
    clients.set(socket, client);
    add(key, 1);
    socket.once('close', () => {
      clients.delete(socket);
      add(key, -Math.max(1, client.unanswered));
    });
  });

  return ({ socket }, res) => {
    const client = clients.get(socket);
    // The rest of the data that was received together with the request for which the connection was closed.
    if (!client || socket.destroyed) return false;
    const isFurther = client.unanswered > 0;
    if (client.unanswered >= maxUnanswered || (isFurther && isFull(client.key))) {
      stopParsing(socket);
      socket.destroy();
      return false;
    }
    client.unanswered++;
    if (isFurther) add(client.key, 1);
    res.once('close', () => {
      client.unanswered--;
      if (client.unanswered > 0 && clients.has(socket)) add(client.key, -1);
    });
    return true;
  };
}

/**
 * Makes Node's parser end with this request. Otherwise it goes through the rest of the data that was received, up to a thousand
 * requests, although the connection is closed: a hundred connections would block the event loop for more than a second. 2 is what
 * Node itself returns for an upgrade, after which the data is no HTTP.
 */
function stopParsing(socket: Socket): void {
  // The cast: Node sets the parser, which has no types. Each connection gets its own `onIncoming`.
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => 2;
}

/** How long the client may take to read the response. Its further data is not read and does not keep the connection open. */
const CLOSE_AFTER_MS = 2_000;

const MALFORMED = 'The request is not valid HTTP, or its headers are too large.';
const TOO_SLOW = 'The request was not received in time.';

/** The responses of this file do not pass the middleware, so they need the headers that it adds to all other responses. */
const SECURITY_HEADERS = [
  'Cache-Control: no-store',
  "Content-Security-Policy: default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy: same-origin',
  'Cross-Origin-Resource-Policy: same-origin',
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
  'X-Frame-Options: DENY',
];

/**
 * Answers requests that are not valid HTTP, have too large headers or never end, in the error format of the API. Neither an
 * endpoint nor the log sees them, unless an endpoint is waiting for the body. The client must not mistake the response for
 * that of a request: if another response on the connection is due or being written, or if nothing was received on the
 * connection, which a browser may have opened for its next request, the connection is closed instead.
 */
function answerClientErrors(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const note = (req: IncomingMessage, res: ServerResponse) => void latest.set(req.socket, res);
  server.on('request', note).on('checkExpectation', note);
  server.on('clientError', (error, socket) => {
    const response = latest.get(socket);
    const hasReceived = !(socket instanceof Socket) || socket.bytesRead > 0;
    if (socket.writable && hasReceived && (!response || response.writableFinished || isBeingRead(response)))
      answer(error, socket);
    else socket.destroy();
  });
}

/** Whether the invalid data is the rest of a request whose response has not started. */
function isBeingRead(response: ServerResponse): boolean {
  const isItsTurn = response.socket !== null; // queued responses have no socket
  return isItsTurn && !response.headersSent && !response.req.complete;
}

function answer(error: Error, socket: Duplex): void {
  const requestId = randomId();
  const isSlow = 'code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const message = isSlow ? TOO_SLOW : MALFORMED;
  const view: ErrorView = { error: { code: 'validation_failed', message, request_id: requestId } };
  const body = JSON.stringify(view);
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...SECURITY_HEADERS,
    `X-Request-Id: ${requestId}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Closes the server. The connections that are still open after `limitMs` are destroyed. */
type CloseServer = (limitMs: number) => Promise<void>;

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
