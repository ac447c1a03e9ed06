import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasBody } from './validate.js';

/** The response of an endpoint. */
export interface Answer<Status extends number = number> {
  status: Status;
  /** Sent as JSON. Absent: no body. */
  body?: unknown;
  /** The JSON of the body, if it is serialized already. */
  text?: string;
  /** Sent unchanged, instead of a JSON body. The headers describe its type and length. Not read for HEAD. */
  stream?: AsyncIterable<Uint8Array> | LiveStream;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A stream that never ends by itself: it ends when its client disconnects, or when the server ends it. */
export type LiveStream = (reader: Reader) => AsyncIterable<string>;

/** The client of a live stream. */
export interface Reader {
  /** Fires when the connection is closed. */
  readonly gone: AbortSignal;
  /** Closes the connection if the client has not received everything that was sent: it may never do so. */
  cutIfBehind(): void;
}

/** A client that receives nothing for this time is disconnected. */
const STALLED_AFTER_MS = 60_000;

/** How much of an unwanted body is read, so that its sender gets to read the response. */
const DRAIN = { bytes: 16 * 1024 * 1024, ms: 10_000 };

/** Sends a response. No other code does. Rejects when a stream fails; the response is then incomplete. */
export async function send(req: IncomingMessage, res: ServerResponse, answer: Answer): Promise<void> {
  res.statusCode = answer.status;
  for (const name in answer.headers) res.setHeader(name, answer.headers[name] ?? '');
  if (typeof answer.stream === 'function') return sendLive(req, res, answer.stream);
  if (answer.stream) return sendStream(req, res, answer.stream);
  if (answer.body !== undefined) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  const text = answer.body === undefined ? '' : (answer.text ?? JSON.stringify(answer.body));
  if (req.readableEnded || !hasBody(req.headers)) res.end(text);
  else sendAndDrain(req, res, text);
}

/** Sends as fast as the client receives. Always closes the source, because it may hold a connection. */
async function sendStream(req: IncomingMessage, res: ServerResponse, stream: AsyncIterable<Uint8Array>): Promise<void> {
  const source = stream instanceof Readable ? stream : Readable.from(stream, { objectMode: false });
  if (req.method === 'HEAD' || res.destroyed) {
    source.destroy();
    return void res.end();
  }
  try {
    // The response is not destroyed together with the source: the error handler first logs the reason, then destroys it.
    await pipeline(source, res, { end: false });
    res.end();
  } catch (error) {
    const readerIsGone = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!readerIsGone) throw error;
  }
}

/** Sends as fast as the client receives: at most one piece of the stream is buffered. Node has no time limit for responses. */
async function sendLive(req: IncomingMessage, res: ServerResponse, live: LiveStream): Promise<void> {
  if (req.method === 'HEAD' || res.destroyed) return void res.end();
  const gone = disconnectSignal(res);
  const cutIfBehind = () => {
    if (res.writableNeedDrain) res.destroy();
  };
  for await (const text of live({ gone, cutIfBehind })) {
    if (!res.write(text) && !(await drained(res))) return void res.destroy();
  }
  res.end();
}

/** Resolves to whether the client has received everything in time. */
function drained(res: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      res.off('drain', settle).off('close', settle);
      resolve(!res.destroyed && !res.writableNeedDrain);
    };
    const timer = setTimeout(settle, STALLED_AFTER_MS);
    res.on('drain', settle).on('close', settle);
    if (res.destroyed) settle();
  });
}

/**
 * Responds while the request's body is still being received. The complete response is written immediately, but it is ended
 * only once the rest of the body has been read: a connection that is closed with unread bytes is reset, and the client
 * would lose the response.
 */
function sendAndDrain(req: IncomingMessage, res: ServerResponse, text: string): void {
  let leftBytes = DRAIN.bytes;
  let finished = false;
  const finish = () => {
    if (finished) return;
    finished = true;
    clearTimeout(timer);
    res.end(() => {
      if (!req.readableEnded) req.destroy();
    });
  };
  const timer = setTimeout(finish, DRAIN.ms);

  if (text) res.setHeader('Content-Length', Buffer.byteLength(text));
  res.flushHeaders();
  if (text) res.write(text);
  req.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) finish();
  });
  // The error is ignored on purpose: an incomplete body is the client's problem.
  req.on('end', finish).on('close', finish).on('error', finish);
}

/** A signal that fires when the connection is closed before the complete response was sent. */
export function disconnectSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const onClose = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed) onClose();
  else res.once('close', onClose);
  return controller.signal;
}
