import { ApiError } from '../api/api-error.js';
import { createEventParser, type StreamEvent } from './event-parser.js';

/** What the page's pill says. `ended`: the API said that there is nothing to follow. */
export type StreamState = 'live' | 'reconnecting' | 'polling' | 'paused' | 'ended';

export interface StreamOptions {
  /** `/jobs/events`, `/jobs/{id}/events`. */
  path: string;
  /** Each event once, in order. */
  onEvent(event: StreamEvent): void;
  onState(state: StreamState): void;
  /** Asks in the ordinary way, while the stream does not come through. */
  poll(): void;
  pollEveryMs: number;
}

export interface Streams {
  /** A tab has one stream at a time, because a browser has six connections per host: opening one closes the one before. */
  open(options: StreamOptions): () => void;
}

export interface StreamsDeps {
  fetch(request: Request): Promise<Response>;
  /** Of the API. */
  origin: string;
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>;
  random?: () => number;
}

const RETRY_MS = { first: 1_000, most: 30_000 };
/** The API sends a comment every 15 s. */
const SILENCE_MS = 45_000;
const FAILURES_BEFORE_POLLING = 3;
const RETRY_WHILE_POLLING_MS = 60_000;
/** Ids remembered to drop what a resumed stream says again. */
const REMEMBERED = 2_000;

/** Server-Sent Events by fetch, because an EventSource cannot send the token and must not put it into the address. */
export function createStreams(deps: StreamsDeps): Streams {
  let closeCurrent: () => void = () => undefined;
  return {
    open(options) {
      closeCurrent();
      const close = follow(deps, options);
      closeCurrent = close;
      return close;
    },
  };
}

function follow({ fetch, origin, document, random = Math.random }: StreamsDeps, options: StreamOptions): () => void {
  const { path, onEvent, onState, poll, pollEveryMs } = options;
  const seen = new Set<string>();
  let lastId = '';
  let failures = 0;
  let connection: AbortController | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let pollTimer: ReturnType<typeof setInterval> | undefined;
  let state: StreamState | null = null;

  function become(next: StreamState): void {
    if (state === next) return;
    state = next;
    clearInterval(pollTimer);
    if (next === 'polling') pollTimer = setInterval(poll, pollEveryMs);
    onState(next);
  }

  function take(event: StreamEvent): void {
    if (event.id !== '') {
      if (seen.has(event.id)) return;
      seen.add(event.id);
      if (seen.size > REMEMBERED) for (const oldest of seen) if (seen.delete(oldest)) break;
    }
    onEvent(event);
  }

  async function connect(): Promise<void> {
    clearTimeout(retryTimer);
    const attempt = new AbortController();
    connection = attempt;
    try {
      await read(attempt);
      if (connection === attempt) fail(null);
    } catch (error) {
      if (connection !== attempt) return; // closed on purpose
      fail(error);
    }
  }

  async function read(attempt: AbortController): Promise<void> {
    const headers = { Accept: 'text/event-stream', ...(lastId !== '' && { 'Last-Event-ID': lastId }) };
    const url = new URL(path, origin);
    const response = await fetch(new Request(url, { headers, signal: attempt.signal, cache: 'no-store' }));
    let silence = setTimeout(() => attempt.abort(), SILENCE_MS);
    const parse = createEventParser(take, (id) => {
      lastId = id;
    });
    failures = 0;
    become('live');
    try {
      const text = new TextDecoder();
      const reader = response.body?.getReader();
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        clearTimeout(silence);
        silence = setTimeout(() => attempt.abort(), SILENCE_MS);
        parse(text.decode(piece.value, { stream: true }));
      }
    } finally {
      clearTimeout(silence);
    }
  }

  function fail(error: unknown): void {
    connection = null;
    // 401 here: whoever was asked to sign in again did not.
    if (error instanceof ApiError && [401, 403, 404].includes(error.status)) {
      become('ended');
      return;
    }
    failures++;
    const isHopeless = failures >= FAILURES_BEFORE_POLLING;
    become(isHopeless ? 'polling' : 'reconnecting');
    const backoffMs = Math.min(RETRY_MS.first * 2 ** (failures - 1), RETRY_MS.most) * (0.75 + random() / 2);
    const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    retryTimer = setTimeout(connect, Math.max(isHopeless ? RETRY_WHILE_POLLING_MS : backoffMs, askedMs));
  }

  function disconnect(): void {
    const closing = connection;
    connection = null;
    closing?.abort();
    clearTimeout(retryTimer);
  }

  function onVisibility(): void {
    if (state === 'ended') return;
    disconnect();
    if (document.visibilityState === 'hidden') {
      become('paused');
    } else {
      failures = 0;
      void connect();
    }
  }

  document.addEventListener('visibilitychange', onVisibility);
  if (document.visibilityState === 'hidden') become('paused');
  else void connect();

  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    disconnect();
    clearInterval(pollTimer);
  };
}
