import { NAME_PATTERN } from '@jobline/contracts';
import { eventsNow, findJobAndLogEnd, listJobEvents } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { stream } from '../../http/response-specs.js';
import { unknownLastEventId } from '../../http/validate.js';
import {
  encodeLine,
  encodePosition,
  eventText,
  isAbout,
  parseLine,
  parsePosition,
  toEventTexts,
} from '../../streams/events.js';
import { EVENT_STREAM_HEADERS, follow, openingText } from '../../streams/follow.js';
import { PAGE_SIZE } from '../../streams/org-events.js';
import { toJobStatusView } from './job-view.js';

/** The events of all jobs of the organization, from now on or after the client's last event. */
export const followJobs = defineEndpoint({
  method: 'get',
  path: '/jobs/events',
  summary: 'Follow all jobs',
  auth: 'jobs:read',
  needs: ['db', 'log', 'orgEvents', 'streams'],
  resumable: true,
  responses: {
    200: stream(
      'Server-Sent Events without an end: `status` with a job summary and, if the job runs, its `progress`, and `log` with a log entry and its `job_id`.',
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

/**
 * The events of one job. A new client first gets the status and the log so far. The stream of a finished job stays open:
 * the job may be retried, and its clients would otherwise reconnect again and again.
 */
export const followJob = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/events',
  summary: 'Follow a job',
  auth: 'jobs:read',
  needs: ['db', 'log', 'streams'],
  params: { id: NAME_PATTERN },
  resumable: true,
  responses: {
    200: stream(
      'Server-Sent Events without an end: the status, the log so far, then new `status` and `log` events.',
      'text/event-stream',
      ['Cache-Control', 'X-Accel-Buffering'],
    ),
  },
  errors: ['rate_limited'],
  async handle({ deps, principal: { orgId }, params, lastEventId, isStillAllowed, onEnd }) {
    const slot = deps.streams.reserve(orgId);
    onEnd(slot.release);
    const given = lastEventId === undefined ? null : parseLine(lastEventId);
    if (lastEventId !== undefined && given === null) throw unknownLastEventId();
    const found = await findJobAndLogEnd(deps.db, orgId, params.id);
    if (!found) throw notFound();
    const { key, job, logEnd } = found;
    if (given !== null && given > logEnd) throw unknownLastEventId();
    const start = given ?? 0n;
    // A new client gets the current status first, so the log lines until now are sent without the status that each of
    // them stores.
    const statusUpTo = given === null ? logEnd : 0n;
    const status = eventText('status', encodeLine(0n), toJobStatusView(job, job.progress));
    let shownProgressAt = given === null ? job.progress?.at : undefined;
    return {
      status: 200,
      headers: EVENT_STREAM_HEADERS,
      stream: follow(deps, {
        slot,
        start,
        opening: [openingText(encodeLine(start)), ...(given === null ? [status] : [])],
        async read(after) {
          const { lines, job } = await deps.streams.reads.run(
            () => listJobEvents(deps.db, orgId, key, after, PAGE_SIZE),
            { owner: orgId },
          );
          const events = lines.map((row) =>
            row.line.id <= statusUpTo ? { ...row, line: { ...row.line, status: null } } : row,
          );
          const texts = events.flatMap((event) => toEventTexts(event, (isWhole) => encodeLine(event.line.id, isWhole)));
          const next = lines.at(-1)?.line.id ?? after;
          const isFull = lines.length === PAGE_SIZE;
          // The progress is newer than all of these lines: a page that is not full ends with the present.
          if (job?.progress && !isFull && job.progress.at.getTime() !== shownProgressAt?.getTime()) {
            shownProgressAt = job.progress.at;
            if (!events.some(({ line }) => isAbout(job, line)))
              texts.push(eventText('status', null, toJobStatusView(job, job.progress)));
          }
          return { texts, next, isFull, isHeldBack: false };
        },
        isStillAllowed,
      }),
    };
  },
});
