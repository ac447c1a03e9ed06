import { JoblineError } from '@jobline/client';
import { createParser } from 'eventsource-parser';

/** A server-sent event. */
export interface StreamEvent {
  name: string;
  data: string;
}

/** The state of a stream. `ended`: the API responded that there is nothing to follow. */
export type StreamState = 'live' | 'reconnecting' | 'polling' | 'paused' | 'ended';

export interface StreamOptions {
  /** The id of the job to follow; null: all jobs of the organization. */
  job: string | null;
  /** Called once for each event, in order. */
  onEvent(event: StreamEvent): void;
  onState(state: StreamState): void;
  /** The stream restarts without resuming. The page must reload what it may have missed. */
  onGap(): void;
  /** Loads the data with ordinary requests while the stream is not available. */
  poll(): void;
  pollEveryMs: number;
}

interface StreamsDeps {
  /** Opens the stream of a job, or of all jobs. */
  open(job: string | null, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
  document: Pick<Document, 'visibilityState' | 'addEventListener' | 'removeEventListener'>;
  random?: () => number;
}

const RETRY_MS = { first: 1_000, most: 30_000 };
/** The API sends a first comment with its response headers, and then a comment every 15 s. */
const FIRST_CHUNK_TIMEOUT_MS = 15_000;
const SILENCE_MS = 45_000;
/** After a longer pause, as in a hidden tab, reloading is cheaper than receiving all missed events. */
const MAX_RESUME_GAP_MS = 2 * 60_000;
const FAILURES_BEFORE_POLLING = 3;
const RETRY_WHILE_POLLING_MS = 60_000;
/** Every stream begins with an id without data: the position at which it starts. The parser does not report it. */
const OPENING = /^id: ?(.+)\n\n/m;
/** How many event ids are kept to drop the events that a resumed stream repeats. */
const MAX_SEEN_IDS = 2_000;

/** Reads server-sent events with fetch, because EventSource cannot send the token in a header. */
export function createStreams(deps: StreamsDeps) {
  let closeCurrent: () => void = () => undefined;
  return {
    /** Opens a stream and closes the previous one. A tab has one stream, because browsers allow six connections per host. */
    open(options: StreamOptions): () => void {
      closeCurrent();
      closeCurrent = follow(deps, options);
      return closeCurrent;
    },
  };
}

function follow({ open, document, random = Math.random }: StreamsDeps, options: StreamOptions): () => void {
  const { job, onEvent, onState, onGap, poll, pollEveryMs } = options;
  const seen = new Set<string>();
  let lastId = '';
  let receivedAt = 0;
  let hasGap = false;
  let failures = 0;
  let connection: AbortController | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let pollTimer: ReturnType<typeof setInterval> | undefined;
  let state: StreamState | null = null;

  function setState(next: StreamState): void {
    if (state === next) return;
    state = next;
    clearInterval(pollTimer);
    if (next === 'polling') pollTimer = setInterval(poll, pollEveryMs);
    onState(next);
  }

  function take(id: string, event: StreamEvent): void {
    lastId = id || lastId;
    if (id !== '') {
      if (seen.has(id)) return;
      seen.add(id);
      if (seen.size > MAX_SEEN_IDS) for (const oldest of seen) if (seen.delete(oldest)) break;
    }
    onEvent(event);
  }

  /** Data has arrived, so the connection works. */
  function onChunk(): void {
    receivedAt = Date.now();
    failures = 0;
    setState('live');
    if (!hasGap) return;
    hasGap = false;
    onGap();
  }

  function restart(): void {
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
      if (connection !== attempt) return; // closed intentionally
      fail(error);
    }
  }

  async function read(attempt: AbortController): Promise<void> {
    // Without an id, the stream would begin now. What happened since the last connection would be missed.
    const isFirst = receivedAt === 0;
    if (!isFirst && (lastId === '' || Date.now() - receivedAt > MAX_RESUME_GAP_MS)) restart();
    const headers = { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) };
    let silence = setTimeout(() => attempt.abort(), FIRST_CHUNK_TIMEOUT_MS);
    const parser = createParser({ onEvent: ({ id = '', event = 'message', data }) => take(id, { name: event, data }) });
    try {
      const response = await open(job, headers, attempt.signal);
      const text = new TextDecoder();
      const reader = response.body?.getReader();
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        clearTimeout(silence);
        silence = setTimeout(() => attempt.abort(), SILENCE_MS);
        onChunk();
        const received = text.decode(piece.value, { stream: true });
        lastId ||= OPENING.exec(received)?.[1] ?? '';
        parser.feed(received);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  function fail(error: unknown): void {
    connection = null;
    // A 401 here means that the user did not sign in again.
    if (error instanceof JoblineError && [401, 403, 404].includes(error.status)) {
      setState('ended');
      return;
    }
    // The API does not know the id any more, for example because the database was replaced.
    if (error instanceof JoblineError && error.status === 400) restart();
    failures++;
    const isPolling = failures >= FAILURES_BEFORE_POLLING;
    setState(isPolling ? 'polling' : 'reconnecting');
    const backoffMs = Math.min(RETRY_MS.first * 2 ** (failures - 1), RETRY_MS.most) * (0.75 + random() / 2);
    const askedMs = error instanceof JoblineError ? (error.retryAfterMs ?? 0) : 0;
    retryTimer = setTimeout(connect, Math.max(isPolling ? RETRY_WHILE_POLLING_MS : backoffMs, askedMs));
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
      setState('paused');
    } else {
      failures = 0;
      void connect();
    }
  }

  document.addEventListener('visibilitychange', onVisibility);
  if (document.visibilityState === 'hidden') setState('paused');
  else void connect();

  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    disconnect();
    clearInterval(pollTimer);
  };
}
