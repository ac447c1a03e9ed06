import { eventsNow } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { unknownLastEventId } from '../../http/request-headers.js';
import { stream } from '../../http/response-specs.js';
import { encodePosition, parsePosition } from '../../streams/event-ids.js';
import { EVENT_STREAM_HEADERS, follow, openingText } from '../../streams/follow.js';

/** The events of all jobs of the organization, from now on or after the client's last event. */
export const followJobs = defineEndpoint({
  method: 'get',
  path: '/jobs/events',
  summary: 'Follow all jobs',
  auth: 'jobs:read',
  right: 'jobs',
  needs: ['db', 'log', 'orgEvents', 'streams'],
  resumable: true,
  responses: {
    200: stream(
      'Server-Sent Events without an end: `status` with a job summary and `log` with a log entry and its `job_id`.',
      'text/event-stream',
      ['Cache-Control', 'X-Accel-Buffering'],
    ),
  },
  errors: ['rate_limited'],
  async handle({ deps, principal: { orgId, types }, lastEventId, isStillAllowed, onEnd }) {
    const slot = deps.streams.reserve(orgId);
    onEnd(slot.release);
    const given = lastEventId === undefined ? null : parsePosition(lastEventId);
    if (lastEventId !== undefined && !given) throw unknownLastEventId();
    const now = await eventsNow(deps.db);
    // The id may come from another database. A stream that resumes after this id would send nothing for a long time.
    if (given && given.xid >= now.nextXid) throw unknownLastEventId();
    const start = given ?? now;
    return {
      status: 200,
      headers: EVENT_STREAM_HEADERS,
      stream: follow(deps, {
        slot,
        start,
        opening: [openingText(encodePosition(start))],
        read: (after, wakes) => deps.orgEvents(orgId, types, after, wakes),
        isStillAllowed,
      }),
    };
  },
});
