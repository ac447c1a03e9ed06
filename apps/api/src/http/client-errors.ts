import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorView } from '@jobline/contracts';
import { randomId } from '@jobline/runtime';

/** So long whoever sent it may take to read the answer. It is read no more, and may not keep the connection by sending on. */
const CLOSE_AFTER_MS = 2_000;

const MALFORMED = 'The request is not HTTP that can be read here, or its headers are too large.';
const TOO_SLOW = 'The request did not come in time.';

/** What every other answer has of the middleware, which this one never meets. */
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
 * Answers what is not HTTP, has too large a head or does not come to its end, in the contract's form too. No endpoint and no
 * log line sees it, unless its body was waited for. Where another answer is due or being written first, this one would be
 * taken for it or be in the midst of it: then the connection is cut.
 */
export function answerMalformed(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const note = (req: IncomingMessage, res: ServerResponse) => void latest.set(req.socket, res);
  server.on('request', note).on('checkExpectation', note);
  server.on('clientError', (error, socket) => {
    const response = latest.get(socket);
    if (socket.writable && (!response || response.writableFinished || isBeingRead(response))) refuse(error, socket);
    else socket.destroy();
  });
}

/** Whether what cannot be read is the rest of the request of a response, which nothing has been said of yet. */
function isBeingRead(response: ServerResponse): boolean {
  const isItsTurn = response.socket !== null; // those behind another have none
  return isItsTurn && !response.headersSent && !response.req.complete;
}

function refuse(error: Error, socket: Duplex): void {
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
