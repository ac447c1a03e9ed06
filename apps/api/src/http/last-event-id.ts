import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@jobline/contracts';

/** The header by which a reader of events says where it was, as every EventSource does when it connects again. */
export const LAST_EVENT_ID = 'Last-Event-ID';

/** Undefined where there is none; an empty one is none. */
export function readLastEventId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['last-event-id'];
  // Of several, Node makes one with a comma in it, which no stream gives out.
  return id === '' || id === undefined ? undefined : String(id);
}

export function unknownLastEventId(): AppError {
  return new AppError('validation_failed', 'The request breaks a rule; see details.', {
    details: [{ path: LAST_EVENT_ID, message: `"${LAST_EVENT_ID}" is not an id that this stream gave out` }],
  });
}
