import type { JobStatusView, JobSummaryView } from '@jobline/contracts';
import { type EventJob, type EventLine, type EventPosition, type EventRow, type JobRow, LAST_KEY } from '@jobline/db';
import { toDetailedLogEntryView, toJobStatusView, toJobSummaryView } from '../endpoints/jobs/job-view.js';
import { UUID_PATTERN } from '../http/fields.js';

/**
 * The events of a row as they are sent: its log line, then the status that the job got with it. A deleted job has no events.
 * `idOf` returns the event ids: the one of the whole row (`isWhole`), or of its first part.
 */
export function toEventTexts({ line, job, isProgress }: EventRow, idOf: (isWhole: boolean) => string): string[] {
  if (!job) return [];
  if (isProgress) return job.progress ? [eventText('status', idOf(true), toJobStatusView(job, job.progress))] : [];
  if (!line) return [eventText('status', idOf(true), createdView(job))];
  const log = eventText('log', idOf(line.status === null), { ...toDetailedLogEntryView(line), job_id: job.id });
  if (line.status === null) return [log];
  return [log, eventText('status', idOf(true), statusView(job, line, line.status))];
}

/** The position of a client, without an event. */
export function positionText(id: string): string {
  return `id: ${id}\n\n`;
}

/** One event. JSON has no line breaks, so the data is one line. Without an id, the position of a client stays the same. */
export function eventText(name: 'log' | 'status', id: string | null, data: object): string {
  return `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The job as it was when it was accepted. */
function createdView(job: JobRow): JobSummaryView {
  return toJobSummaryView({ ...job, status: 'pending', retries: 0, updatedAt: job.createdAt });
}

/** The job as it was at that line, as far as it is still known: a later attempt may have used more retries. */
function statusView(job: EventJob, { attempt, at }: EventLine, status: JobRow['status']): JobStatusView {
  const retries = Math.min(job.retries, status === 'pending' ? attempt : attempt - 1);
  const then = { ...job, status, retries, updatedAt: job.status === status ? job.updatedAt : at };
  return toJobStatusView(then, isAbout(job, { attempt, status }) ? job.progress : null);
}

/** Whether the progress of a job is that of the attempt which this change of its status began. */
export function isAbout(job: EventJob, { attempt, status }: Pick<EventLine, 'attempt' | 'status'>): boolean {
  return status === 'processing' && attempt === job.attempt;
}

/**
 * The ids of events. An id is the position after its event, at which `Last-Event-ID` resumes. A log line that changed the
 * status is two events. The id of the first one ends with `-`; a stream that resumes there sends both events again, so
 * that none is missed.
 */

const LINE = /^(0|[1-9]\d{0,18})(-?)$/;
const XID = /^(?:0|[1-9]\d{0,19})$/;
const MAX_ID = 2n ** 63n - 1n;
const MAX_XID = 2n ** 64n - 1n;

/** `<line>`, in the stream of one job. */
export function encodeLine(id: bigint, isWhole = true): string {
  return isWhole ? String(id) : `${id}-`;
}

/** The line after which the stream resumes; null if the text is not an id of a job's stream. */
export function parseLine(text: string): bigint | null {
  const [, digits, half] = LINE.exec(text) ?? [];
  if (digits === undefined) return null;
  const id = half ? BigInt(digits) - 1n : BigInt(digits);
  return id >= 0n && id <= MAX_ID ? id : null;
}

/** `<transaction>.<line>` or `<transaction>.<key of the created job>`, in an organization's stream. */
export function encodePosition({ xid, key, id }: EventPosition, isWhole = true): string {
  return `${xid}.${key === LAST_KEY ? encodeLine(id, isWhole) : key}`;
}

/** Null if the text is not an id of an organization's stream. */
export function parsePosition(text: string): EventPosition | null {
  const [xidText = '', rest = '', ...more] = text.split('.');
  if (!XID.test(xidText) || more.length > 0) return null;
  const xid = BigInt(xidText);
  if (xid > MAX_XID) return null;
  if (UUID_PATTERN.test(rest)) return { xid, key: rest, id: 0n };
  const id = parseLine(rest);
  return id === null ? null : { xid, key: LAST_KEY, id };
}

/** The position directly after an event of an organization. */
export function positionAfter({ xid, jobKey, line }: { xid: bigint; jobKey: string; line: { id: bigint } | null }) {
  return line ? { xid, key: LAST_KEY, id: line.id } : { xid, key: jobKey, id: 0n };
}
