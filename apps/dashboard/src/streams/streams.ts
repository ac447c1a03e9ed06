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
  /** The stream begins anew, not where it was: what was missed has to be asked for. */
  onGap(): void;
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
/** The API's first words come with its answer, then a comment every 15 s. */
const BEGINS_WITHIN_MS = 15_000;
const SILENCE_MS = 45_000;
/** After so long without a word, as of a tab that was hidden, asking anew is less than hearing all that was missed. */
const GOES_ON_WITHIN_MS = 2 * 60_000;
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
  const { path, onEvent, onState, onGap, poll, pollEveryMs } = options;
  const seen = new Set<string>();
  let lastId = '';
  let heardAt = 0;
  let hasGap = false;
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

  /** It does come through. */
  function heard(): void {
    heardAt = Date.now();
    failures = 0;
    become('live');
    if (!hasGap) return;
    hasGap = false;
    onGap();
  }

  function beginAnew(): void {
    lastId = '';
    seen.clear();
    hasGap = true;
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
    if (lastId !== '' && Date.now() - heardAt > GOES_ON_WITHIN_MS) beginAnew();
    const headers = { Accept: 'text/event-stream', ...(lastId !== '' && { 'Last-Event-ID': lastId }) };
    const url = new URL(path, origin);
    let silence = setTimeout(() => attempt.abort(), BEGINS_WITHIN_MS);
    const parse = createEventParser(take, (id) => {
      lastId = id;
    });
    try {
      const response = await fetch(new Request(url, { headers, signal: attempt.signal, cache: 'no-store' }));
      const text = new TextDecoder();
      const reader = response.body?.getReader();
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        clearTimeout(silence);
        silence = setTimeout(() => attempt.abort(), SILENCE_MS);
        heard();
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
    // It does not know the id any more: its database is another one, perhaps.
    if (error instanceof ApiError && error.status === 400) beginAnew();
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
