import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { untilAborted, withTimeLimit } from '../http/time-limit.js';
import { JoblineError } from '../jobline-error.js';

/** The API sends a comment every 15 s. A connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;
/** The longest event is a log entry of 8 KiB. */
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
