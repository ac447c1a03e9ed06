import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorView } from '@jobline/contracts';
import { randomId } from '@jobline/runtime';

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
export function answerClientErrors(server: Server): void {
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
