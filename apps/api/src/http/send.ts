import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasBody } from './body.js';
import { goneSignal } from './disconnect-signal.js';

/** What an endpoint answers with. */
export interface Answer<Status extends number = number> {
  status: Status;
  /** Sent as JSON; absent: no body. */
  body?: unknown;
  /** Sent as it comes, in place of a JSON body: the headers tell what it is and how long. Not read for HEAD. */
  stream?: AsyncIterable<Uint8Array> | LiveStream;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A stream without an end of its own: it ends when its reader is gone, or when it has a reason to. */
export type LiveStream = (reader: Reader) => AsyncIterable<string>;

/** Who reads a live stream. */
export interface Reader {
  /** Fires when the connection is. */
  readonly gone: AbortSignal;
  /** Ends the connection if what was sent has not been taken yet: nobody knows when it will be. */
  cutIfBehind(): void;
}

/** Whoever takes nothing for so long is cut off. */
const STALLED_AFTER_MS = 60_000;

/** How much of a body that nobody wanted is read, so that its sender comes to reading the answer. */
const DRAIN = { bytes: 16 * 1024 * 1024, ms: 10_000 };

/** The only place where answers are written. Rejects when a stream breaks off: then the answer is cut off, too. */
export async function send(req: IncomingMessage, res: ServerResponse, answer: Answer): Promise<void> {
  res.statusCode = answer.status;
  for (const name in answer.headers) res.setHeader(name, answer.headers[name] ?? '');
  if (typeof answer.stream === 'function') return sendLive(req, res, answer.stream);
  if (answer.stream) return sendStream(req, res, answer.stream);
  if (answer.body !== undefined) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  const text = answer.body === undefined ? '' : JSON.stringify(answer.body);
  if (req.readableEnded || !hasBody(req.headers)) res.end(text);
  else sendAndDrain(req, res, text);
}

/** No faster than it is read. Whatever becomes of it, its source is closed: it may hold a connection. */
async function sendStream(req: IncomingMessage, res: ServerResponse, stream: AsyncIterable<Uint8Array>): Promise<void> {
  const source = stream instanceof Readable ? stream : Readable.from(stream, { objectMode: false });
  if (req.method === 'HEAD' || res.destroyed) {
    source.destroy();
    return void res.end();
  }
  try {
    // Not ended, and not destroyed with the source: first the log gets the reason, then whoever logs it cuts the answer off.
    await pipeline(source, res, { end: false });
    res.end();
  } catch (error) {
    const readerIsGone = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!readerIsGone) throw error;
  }
}

/** No faster than it is read: what is sent and not taken yet is one piece of the stream. Node has no time limit for answers. */
async function sendLive(req: IncomingMessage, res: ServerResponse, live: LiveStream): Promise<void> {
  if (req.method === 'HEAD' || res.destroyed) return void res.end();
  const gone = goneSignal(res);
  const cutIfBehind = () => {
    if (res.writableNeedDrain) res.destroy();
  };
  for await (const text of live({ gone, cutIfBehind })) {
    if (!res.write(text) && !(await drained(res))) return void res.destroy();
  }
  res.end();
}

/** Whether what was sent has been taken, in time. */
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
 * Answers while the request's body is still on its way. The answer goes out whole at once, but the response is ended
 * only when the rest of the body has been read: closing a connection with unread bytes in it resets it, and the client
 * would lose the answer.
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
  // The error, too: a body that breaks off is its sender's affair.
  req.on('end', finish).on('close', finish).on('error', finish);
}
