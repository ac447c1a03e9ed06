import { NAME_PATTERN } from '@jobline/contracts';
import { findJobAndLogEnd, listJobEvents } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { unknownLastEventId } from '../../http/last-event-id.js';
import { notFound } from '../../http/http-errors.js';
import { stream } from '../../http/responses.js';
import { encodeLine, parseLine } from '../../streams/event-ids.js';
import { EVENT_STREAM_HEADERS, openingText } from '../../streams/event-stream.js';
import { follow } from '../../streams/follow.js';
import { PAGE } from '../../streams/org-events.js';
import { eventText, toEventTexts } from '../../views/event-view.js';
import { toJobSummaryView } from '../../views/job-view.js';

/**
 * What happens to one job. A new reader first gets its status and its log so far. The stream of a finished job stays
 * open: it may run again, and whoever follows it would otherwise connect again and again.
 */
export const followJob = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/events',
  summary: 'Follow a job',
  auth: 'bearer-or-key',
  right: 'jobs',
  params: { id: NAME_PATTERN },
  resumable: true,
  responses: {
    200: stream(
      'Server-Sent Events without an end: the status, the log so far, then `status` and `log` as they come.',
      'text/event-stream',
      ['Cache-Control', 'X-Accel-Buffering'],
    ),
  },
  errors: ['rate_limited'],
  async handle({ deps, principal: { orgId }, params, lastEventId, isStillAllowed, onEnd }) {
    const place = deps.streams.reserve(orgId);
    onEnd(place.release);
    const given = lastEventId === undefined ? null : parseLine(lastEventId);
    if (lastEventId !== undefined && given === null) throw unknownLastEventId();
    const found = await findJobAndLogEnd(deps.db, orgId, params.id);
    if (!found) throw notFound();
    const { key, job, logEnd } = found;
    if (given !== null && given > logEnd) throw unknownLastEventId();
    const start = given ?? 0n;
    // The status of a new reader's job is told first, so the lines up to it need not tell theirs.
    const toldUpTo = given === null ? logEnd : 0n;
    const status = eventText('status', encodeLine(0n), toJobSummaryView(job));
    return {
      status: 200,
      headers: EVENT_STREAM_HEADERS,
      stream: follow(deps, {
        place,
        start,
        opening: [openingText(encodeLine(start)), ...(given === null ? [status] : [])],
        async read(after) {
          const rows = await deps.streams.atMost(() => listJobEvents(deps.db, orgId, key, after, PAGE));
          const events = rows.map((row) =>
            row.line.id <= toldUpTo ? { ...row, line: { ...row.line, status: null } } : row,
          );
          return {
            texts: events.flatMap((event) => toEventTexts(event, (isWhole) => encodeLine(event.line.id, isWhole))),
            next: rows.at(-1)?.line.id ?? after,
            isFull: rows.length === PAGE,
            isHeldBack: false,
          };
        },
        isStillAllowed,
      }),
    };
  },
});
