import { checkAnswer } from './answer-check.js';

/** A Server-Sent Event. */
export interface ServerEvent {
  name: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads
  data: any;
}

/** A client of Server-Sent Events, like an EventSource: it keeps the events and the current position. */
export interface EventReader {
  status: number;
  headers: Headers;
  /** The events so far. */
  events: ServerEvent[];
  comments: string[];
  /** The id to send when connecting again. */
  lastEventId(): string;
  hasEnded(): boolean;
  /** Closes the connection. */
  close(): Promise<void>;
}

export interface ReadEventsOptions {
  token?: string;
  key?: string;
  lastEventId?: string;
}

/** Resolves when the stream has begun: its first event has the position, so that no later event can be missed. */
export async function readEvents(url: string, options: ReadEventsOptions = {}): Promise<EventReader> {
  const { token, key, lastEventId = '' } = options;
  const leaving = new AbortController();
  const response = await fetch(url, {
    signal: leaving.signal,
    headers: {
      accept: 'text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
    },
  });
  // An error response has a body, which is read below: other tests of the API check it.
  if (response.ok)
    checkAnswer('GET', new URL(url).pathname, { status: response.status, headers: response.headers, text: '' });
  const events: ServerEvent[] = [];
  const comments: string[] = [];
  let lastId = lastEventId;
  let hasEnded = false;

  /**
   * Parses by the rules of https://html.spec.whatwg.org/multipage/server-sent-events.html, as far as the API uses them.
   */
  function take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (field === '') comments.push(value);
      else fields.set(field, value);
    }
    lastId = fields.get('id') ?? lastId;
    const data = fields.get('data');
    if (data !== undefined) events.push({ name: fields.get('event') ?? 'message', id: lastId, data: JSON.parse(data) });
  }

  async function read(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
      if (blocks.length > 0) begin();
    }
  }

  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const reading = read()
    .catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error;
    })
    .finally(() => {
      hasEnded = true;
      begin();
    });
  reading.catch(() => undefined); // close() reports the failure
  await begun;
  return {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    lastEventId: () => lastId,
    hasEnded: () => hasEnded,
    close() {
      leaving.abort();
      return reading;
    },
  };
}
