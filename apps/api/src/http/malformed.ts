import type { Duplex } from 'node:stream';
import type { ErrorView } from '@jobline/contracts';
import { randomId } from '@jobline/runtime';

/** Answers what is not HTTP, or has too large a head, in the contract's form too. No request comes of it, so no endpoint and no log line sees it. */
export function answerMalformed(_error: Error, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const requestId = randomId();
  const message = 'The request is not HTTP that can be read here, or its headers are too large.';
  const view: ErrorView = { error: { code: 'validation_failed', message, request_id: requestId } };
  const body = JSON.stringify(view);
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
