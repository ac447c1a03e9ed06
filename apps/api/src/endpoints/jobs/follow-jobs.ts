import { eventsNow } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { unknownLastEventId } from '../../http/last-event-id.js';
import { stream } from '../../http/responses.js';
import { encodePlace, parsePlace } from '../../streams/event-ids.js';
import { EVENT_STREAM_HEADERS, openingText } from '../../streams/event-stream.js';
import { follow } from '../../streams/follow.js';

/** What happens to all of the organization's jobs from now on, or from where the reader was. */
export const followJobs = defineEndpoint({
  method: 'get',
  path: '/jobs/events',
  summary: 'Follow all jobs',
  auth: 'bearer-or-key',
  right: 'jobs',
  resumable: true,
  responses: {
    200: stream(
      'Server-Sent Events without an end: `status` with a job summary and `log` with a log entry and its `job_id`.',
      'text/event-stream',
      ['Cache-Control', 'X-Accel-Buffering'],
    ),
  },
  errors: ['rate_limited'],
  async handle({ deps, principal: { orgId }, lastEventId, isStillAllowed, onEnd }) {
    const place = deps.streams.reserve(orgId);
    onEnd(place.release);
    const given = lastEventId === undefined ? null : parsePlace(lastEventId);
    if (lastEventId !== undefined && !given) throw unknownLastEventId();
    const now = await eventsNow(deps.db);
    // Of another database, perhaps: from there on nothing would come for a long time.
    if (given && given.xid >= now.nextXid) throw unknownLastEventId();
    const start = given ?? now;
    return {
      status: 200,
      headers: EVENT_STREAM_HEADERS,
      stream: follow(deps, {
        place,
        start,
        opening: [openingText(encodePlace(start))],
        read: (after, wakes) => deps.orgEvents(orgId, after, wakes),
        isStillAllowed,
      }),
    };
  },
});
