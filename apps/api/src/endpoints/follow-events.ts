import { EVENT_PATTERNS } from '@jobline/contracts';
import {
  eventsNow,
  keepListening,
  leaveListening,
  listWrittenEvents,
  type WrittenEvent,
  type WrittenPosition,
} from '@jobline/db';
import { listOf } from '@jobline/handlers';
import { bodyOf } from '@jobline/messaging';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { UUID_PATTERN } from '../http/fields.js';
import { stream } from '../http/response-specs.js';
import type { LiveStream } from '../http/send.js';
import { unknownLastEventId } from '../http/validate.js';
import { positionText } from '../streams/events.js';
import { EVENT_STREAM_HEADERS, follow, openingText } from '../streams/follow.js';

/** A position in the stream. All events until `seen` have been written for it. */
interface Position extends WrittenPosition {
  seen: Date;
}

/** Events per page. An event has at most 64 KiB. */
const PAGE_SIZE = 10;
const RENEW_EVERY_MS = 15_000;

/** The events that webhooks get, from now on or after the client's last event. Nothing is written for organizations without a stream. */
export const followEvents = defineEndpoint({
  method: 'get',
  path: '/org/events',
  summary: 'Follow the events of the organization',
  right: 'webhooks',
  needs: ['background', 'db', 'log', 'streams'],
  resumable: true,
  query: Joi.object<{ events?: string[] }>({
    events: listOf(EVENT_PATTERNS.length, Joi.valid(...EVENT_PATTERNS))
      .unique()
      .description('Names of events, `<group>.*` for all events of a group, or `*` for all. Default: all.'),
  }),
  responses: {
    200: stream(
      'Server-Sent Events without an end: `listening`, then events with their names and, as data, the body that a webhook gets. `gap`, with `{from, to}`: events between these times are missing.',
      'text/event-stream',
      ['Cache-Control', 'X-Accel-Buffering'],
    ),
  },
  errors: ['rate_limited'],
  async handle({ deps, principal: { orgId }, query: { events: chosen }, lastEventId, isStillAllowed, onEnd }) {
    const { background, db, log, streams } = deps;
    const slot = streams.reserve(orgId);
    onEnd(slot.release);
    const given = lastEventId === undefined ? null : parsePosition(lastEventId);
    if (lastEventId !== undefined && !given) throw unknownLastEventId();
    let renewAt = 0;

    /** Returns where to begin if events after the position may not have been written, and the event that says so. */
    async function keep(position: Position | null): Promise<{ start: Position; texts: string[] }> {
      const { now, missingSince } = await keepListening(db, orgId, position?.seen ?? null);
      renewAt = performance.now() + RENEW_EVERY_MS;
      if (position && !missingSince) return { start: { ...position, seen: now }, texts: [] };
      const { xid, key } = await eventsNow(db);
      const start = { xid, id: key, seen: now };
      const gap = { from: missingSince?.toISOString(), to: now.toISOString() };
      return { start, texts: missingSince ? [eventText('gap', start, JSON.stringify(gap))] : [] };
    }

    // The id may come from another database. A stream that resumes after this id would send nothing for a long time.
    if (given && given.xid >= (await eventsNow(db)).nextXid) throw unknownLastEventId();
    const { start, texts } = await keep(given);
    const leave = () =>
      background.run(
        leaveListening(db, orgId).catch((error: unknown) =>
          log.debug('the listener could not be ended', { org_id: orgId, error }),
        ),
      );
    return {
      status: 200,
      headers: EVENT_STREAM_HEADERS,
      stream: withEnd(
        leave,
        follow<Position>(deps, {
          slot,
          start,
          // The event has the id for clients that ignore an id without an event.
          opening: [openingText(encodePosition(start)), ...texts, eventText('listening', start, '{}')],
          read: (after) =>
            streams.reads.run(
              async () => {
                const kept = performance.now() >= renewAt ? await keep(after) : { start: after, texts: [] };
                const { events, isHeldBack } = await listWrittenEvents(db, orgId, kept.start, PAGE_SIZE);
                const at = (event: WrittenEvent) => ({ ...event.position, seen: kept.start.seen });
                const isShown = ({ type }: WrittenEvent) => !chosen || isChosen(chosen, type);
                const shown = events.filter(isShown).map((event) => eventText(event.type, at(event), bodyOf(event)));
                const last = events.at(-1);
                const next = last ? at(last) : kept.start;
                // A client that connects again must not have to pass hidden events once more.
                const hidden = last && !isShown(last) ? [positionText(encodePosition(next))] : [];
                return {
                  texts: [...kept.texts, ...shown, ...hidden],
                  next,
                  isFull: events.length === PAGE_SIZE,
                  isHeldBack,
                };
              },
              { owner: orgId },
            ),
          isStillAllowed,
        }),
      ),
    };
  },
});

/** Calls `onEnd` when the stream has ended, before its response does. */
function withEnd(onEnd: () => void, stream: LiveStream): LiveStream {
  return async function* (reader) {
    try {
      yield* stream(reader);
    } finally {
      onEnd();
    }
  };
}

function isChosen(patterns: readonly string[], type: string): boolean {
  const [group] = type.split('.', 1);
  return patterns.some((pattern) => pattern === type || pattern === `${group}.*` || pattern === '*');
}

/** The data is one line: JSON has line breaks only between its parts. */
function eventText(name: string, position: Position, json: string): string {
  return `event: ${name}\nid: ${encodePosition(position)}\ndata: ${json.replace(/[\r\n]/g, ' ')}\n\n`;
}

/** `<time until which events have been written>.<transaction>.<event>` */
function encodePosition({ seen, xid, id }: Position): string {
  return `${seen.getTime()}.${xid}.${id}`;
}

const POSITION = /^([1-9]\d{0,14})\.(0|[1-9]\d{0,18})\.([0-9a-f-]{36})$/;

/** Null if the text is not an id of this stream. */
function parsePosition(text: string): Position | null {
  const [, seen = '', xid = '', id = ''] = POSITION.exec(text) ?? [];
  if (!UUID_PATTERN.test(id)) return null;
  return { seen: new Date(Number(seen)), xid: BigInt(xid), id };
}
