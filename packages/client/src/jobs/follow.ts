import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { HttpClient } from '../http/http-client.js';
import { backoffMs } from '../http/retry.js';
import { pause, untilAborted, withTimeLimit } from '../http/time-limit.js';
import { JoblineError } from '../jobline-error.js';
import type { QueryOf } from '../operations.js';
import { isFinished, type JobEvent, type JobSummary, type LogEntry, type Page } from '../types.js';

/** About half a minute, so that the API can restart. */
const OPEN_RETRIES = 8;
/** Streams in a row that end soon and without an event. */
const MAX_EMPTY_STREAMS = 5;
/** A proxy may close streams. One that was open for longer worked. */
const SOON_MS = 10_000;
const LOG_PAGE = 1_000;

/**
 * The status and the log of a job, then its new events, until the job has finished. Connects again if the connection breaks,
 * and goes on after the last event: an event may be repeated, and none is missing.
 */
export async function* followJob(
  client: HttpClient,
  id: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<JobEvent, void, undefined> {
  let lastEventId = '';
  let openedAt = '';
  for (let emptyStreams = 0; emptyStreams < MAX_EMPTY_STREAMS; emptyStreams++) {
    if (emptyStreams > 0) await pause(backoffMs(emptyStreams), signal);
    const openedAtMs = Date.now();
    try {
      for await (const message of await openStream(client, id, lastEventId, signal)) {
        emptyStreams = 0;
        const isFirst = lastEventId === '';
        lastEventId = message.id ?? lastEventId;
        const event = toJobEvent(message.event, message.data);
        if (!event) continue;
        yield event;
        if (event.event !== 'status') continue;
        if (isFirst) openedAt = event.data.updated_at;
        if (!hasEnded(event.data, openedAt)) continue;
        // The first event is the current status, and the log so far follows it.
        if (isFirst) yield* readLog(client, id, signal);
        return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof JoblineError && error.code === 'unreachable')) throw error;
    }
    if (Date.now() - openedAtMs > SOON_MS) emptyStreams = 0;
  }
  const message = `The event stream of job ${id} ended ${MAX_EMPTY_STREAMS} times without an event. Use jobs.get instead.`;
  throw new JoblineError({ code: 'unreachable', message });
}

async function openStream(client: HttpClient, id: string, lastEventId: string, signal: AbortSignal | undefined) {
  const headers = { accept: 'text/event-stream', ...(lastEventId !== '' && { 'last-event-id': lastEventId }) };
  const options = { signal, maxRetries: OPEN_RETRIES };
  const { body } = await client.open('followJob', { path: { id }, headers }, options);
  if (!body) throw new JoblineError({ code: 'unexpected', message: 'The event stream has no body.' });
  return readEvents(body, signal);
}

/** Null: an event of a later version. */
function toJobEvent(event: string | undefined, data: string): JobEvent | null {
  return event === 'status' || event === 'log' ? { event, data: JSON.parse(data) } : null;
}

/** A stream that goes on after an event repeats what followed it, such as an end before a retry by hand. */
function hasEnded(job: JobSummary, openedAt: string): boolean {
  return isFinished(job) && job.updated_at >= openedAt;
}

async function* readLog(client: HttpClient, id: string, signal: AbortSignal | undefined): AsyncGenerator<JobEvent> {
  let query: QueryOf<'listLogs'> = { detail: 'full', limit: LOG_PAGE };
  for (;;) {
    const { data, nextCursor }: Page<LogEntry> = await client.page('listLogs', { path: { id }, query }, { signal });
    for (const entry of data) yield { event: 'log', data: { ...entry, job_id: id } };
    if (data.length < LOG_PAGE || nextCursor === null) return;
    query = { ...query, after: nextCursor };
  }
}

/** The API sends a comment every 15 s. A connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;
/** The longest event has 64 KiB. */
const MAX_EVENT_CHARACTERS = 1024 ** 2;

/** The events of a response, until its end. Throws `unreachable` if the connection breaks. Closes the connection. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: (event) => void events.push(event),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge(error);
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const read = (signal: AbortSignal) => untilAborted(reader.read(), signal);
  try {
    for (;;) {
      const { done, value } = await withTimeLimit({ timeoutMs: SILENCE_MS, signal, onTimeout: broken }, read).catch(
        (error) => {
          throw signal?.aborted ? error : broken(error);
        },
      );
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    reader.cancel().catch(() => undefined); // it is broken or aborted already
  }
}

function tooLarge(cause: unknown): JoblineError {
  const message = `The event stream does not come from Jobline: an event has more than ${MAX_EVENT_CHARACTERS} characters.`;
  return new JoblineError({ code: 'unexpected', message, cause });
}

function broken(cause?: unknown): JoblineError {
  const message = 'The event stream broke. Check the network, and that the API runs.';
  return new JoblineError({ code: 'unreachable', message, cause });
}
