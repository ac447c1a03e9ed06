import { JoblineError } from '@jobline/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createStreams, type StreamState } from './streams.js';

// Fake timers, because the tests check waits of up to a minute.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Connection {
  lastEventId: string | null;
  signal: AbortSignal;
  send(text: string): Promise<void>;
  break(): Promise<void>;
}

/** Starts a stream with a simulated API behind fetch and a tab that can be hidden. */
function start({ reject, isSilent }: { reject?: () => Error | null; isSilent?: boolean } = {}) {
  const connections: Connection[] = [];
  const states: StreamState[] = [];
  const seen: string[] = [];
  const polls: number[] = [];
  const gaps: number[] = [];
  let onVisibility = () => {};
  const tab = {
    visibilityState: 'visible' as DocumentVisibilityState,
    addEventListener: (_: string, listener: unknown) => {
      onVisibility = listener as () => void; // createStreams passes a function
    },
    removeEventListener: () => {},
  };
  const streams = createStreams({
    document: tab,
    random: () => 0.5,
    async open(_job, headers, signal) {
      const failure = reject?.();
      if (failure) throw failure;
      let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
      const body = new ReadableStream<Uint8Array>({
        start(given) {
          controller = given;
          if (!isSilent) given.enqueue(new TextEncoder().encode(': jobline\n\n'));
        },
      });
      signal.addEventListener('abort', () => controller?.error(new Error('aborted')));
      const flush = () => vi.advanceTimersByTimeAsync(0);
      connections.push({
        lastEventId: headers['last-event-id'] ?? null,
        signal,
        async send(text) {
          controller?.enqueue(new TextEncoder().encode(text));
          await flush();
        },
        async break() {
          controller?.error(new Error('broken'));
          await flush();
        },
      });
      return new Response(body);
    },
  });
  const close = streams.open({
    job: null,
    onEvent: ({ data }) => seen.push(data),
    onState: (state) => states.push(state),
    onGap: () => gaps.push(connections.length),
    poll: () => polls.push(Date.now()),
    pollEveryMs: 5_000,
  });
  const show = (state: DocumentVisibilityState) => {
    tab.visibilityState = state;
    onVisibility();
    return vi.advanceTimersByTimeAsync(0);
  };
  const latest = () => {
    const connection = connections.at(-1);
    if (!connection) throw new Error('nothing is connected');
    return connection;
  };
  return { streams, connections, states, seen, polls, gaps, close, show, latest };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a stream', () => {
  test('a stream emits each complete event once, even if chunks split or repeat it', async () => {
    const { latest, seen, states } = start();
    await pass(0);
    await latest().send(': jobline\nretry: 1000\nid: a0\n\nevent: status\nid: a1\nda');
    await latest().send('ta: {"one":1}\n\nid: a1\ndata: {"one":1}\n\nid: a2\r\ndata: x\r\ndata: y\r\n\r\n');

    expect(seen).toEqual(['{"one":1}', 'x\ny']);
    expect(states).toEqual(['live']);
  });

  test('a stream resumes with the last event id, one second after it broke', async () => {
    const { connections, latest, states } = start();
    await pass(0);
    await latest().send('id: a7\ndata: x\n\n');
    await latest().break();
    expect(states).toEqual(['live', 'reconnecting']);
    await pass(999);
    expect(connections).toHaveLength(1);
    await pass(1);

    expect(latest().lastEventId).toBe('a7');
    expect(states.at(-1)).toBe('live');
  });

  test('a stream that breaks before its first event resumes where it started', async () => {
    const { latest, gaps } = start();
    await pass(0);
    await latest().send('retry: 1000\nid: a0\n\n');
    await latest().break();
    await pass(1_000);

    expect(latest().lastEventId).toBe('a0');
    expect(gaps).toEqual([]);
  });

  test('a stream that breaks before its position is known makes the page reload its data', async () => {
    const { latest, gaps } = start();
    await pass(0);
    await latest().break();
    await pass(1_000);

    expect(latest().lastEventId).toBeNull();
    expect(gaps).toEqual([2]);
  });

  test('a stream reconnects after 45 s without data, and comments count as data', async () => {
    const { connections, latest } = start();
    await pass(40_000);
    await latest().send(': still here\n\n');
    await pass(40_000);
    expect(connections).toHaveLength(1);
    await pass(10_000);

    expect(connections).toHaveLength(2);
  });

  test('a stream falls back to polling after three failures and reconnects every minute', async () => {
    let isDown = true;
    const { connections, polls, states } = start({ reject: () => (isDown ? new TypeError('fetch failed') : null) });
    await pass(1_000 + 2_000);
    expect(states).toEqual(['reconnecting', 'polling']);
    await pass(15_000);
    expect(polls).toHaveLength(3);
    isDown = false;
    await pass(60_000);

    expect(states.at(-1)).toBe('live');
    expect(connections).toHaveLength(1);
    const polled = polls.length;
    await pass(30_000);
    expect(polls).toHaveLength(polled);
  });

  test.each([401, 403, 404])('a stream stops after a %s', async (status) => {
    let tries = 0;
    const reject = () => {
      tries++;
      return new JoblineError({ code: 'not_found', status, message: 'no' });
    };
    const { states } = start({ reject });
    await pass(300_000);

    expect(states).toEqual(['ended']);
    expect(tries).toBe(1);
  });

  test('a stream waits as long as the Retry-After header says', async () => {
    let tries = 0;
    const reject = () => {
      tries++;
      return new JoblineError({ code: 'rate_limited', status: 429, message: 'no', retryAfterMs: 20_000 });
    };
    start({ reject });
    await pass(19_999);
    expect(tries).toBe(1);
    await pass(1);
    expect(tries).toBe(2);
  });

  test('a stream pauses while the tab is hidden and resumes when it is visible', async () => {
    const { connections, latest, show, states } = start();
    await pass(0);
    await latest().send('id: a3\ndata: x\n\n');
    await show('hidden');
    expect(latest().signal.aborted).toBe(true);
    await pass(100_000);
    expect(connections).toHaveLength(1);
    await show('visible');

    expect(latest().lastEventId).toBe('a3');
    expect(states).toEqual(['live', 'paused', 'live']);
  });

  test('a stream restarts and reports a gap after a long pause', async () => {
    const { connections, gaps, latest, seen, show } = start();
    await pass(0);
    await latest().send('id: a3\ndata: x\n\n');
    await show('hidden');
    await pass(600_000);
    await show('visible');
    expect(connections).toHaveLength(2);
    expect(latest().lastEventId).toBeNull();
    expect(gaps).toEqual([2]);

    await latest().send('id: a3\ndata: x\n\n');
    expect(seen).toEqual(['x', 'x']);
    await latest().break();
    await pass(1_000);
    expect(latest().lastEventId).toBe('a3');
    expect(gaps).toEqual([2]);
  });

  test('a stream restarts if the API no longer knows the last event id', async () => {
    const unknownId = new JoblineError({ code: 'validation_failed', status: 400, message: 'no' });
    let isUnknown = false;
    const { connections, gaps, latest } = start({ reject: () => (isUnknown ? unknownId : null) });
    await pass(0);
    await latest().send('id: a3\ndata: x\n\n');
    isUnknown = true;
    await latest().break();
    await pass(1_000);
    isUnknown = false;
    await pass(2_000);

    expect(connections.map(({ lastEventId }) => lastEventId)).toEqual([null, null]);
    expect(gaps).toEqual([2]);
  });

  test('a stream falls back to polling if responses never start', async () => {
    const { connections, polls, states } = start({ isSilent: true });
    await pass(3 * 15_000 + 1_000 + 2_000);
    expect(connections).toHaveLength(3);
    expect(states).toEqual(['reconnecting', 'polling']);
    await pass(5_000);
    expect(polls).toHaveLength(1);
  });

  test('opening a stream closes the previous one, and a closed stream never reconnects', async () => {
    const { connections, streams, close } = start();
    await pass(0);
    const other = {
      job: 'x',
      onEvent: () => {},
      onState: () => {},
      onGap: () => {},
      poll: () => {},
      pollEveryMs: 2_000,
    };
    const closeOther = streams.open(other);
    await pass(0);
    expect(connections.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    closeOther();
    close();
    await pass(300_000);

    expect(connections.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect(connections).toHaveLength(2);
  });
});
