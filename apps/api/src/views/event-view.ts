import type { JobSummaryView } from '@jobline/contracts';
import type { EventLine, EventRow, JobRow } from '@jobline/db';
import { toDetailedLogEntryView, toJobSummaryView } from './job-view.js';

/**
 * The events of a row as they are sent: its log line, then the status that the job got with it. A deleted job has no events.
 * `idOf` returns the event ids: the one of the whole row (`isWhole`), or of its first part.
 */
export function toEventTexts({ line, job }: EventRow, idOf: (isWhole: boolean) => string): string[] {
  if (!job) return [];
  if (!line) return [eventText('status', idOf(true), createdView(job))];
  const log = eventText('log', idOf(line.status === null), { ...toDetailedLogEntryView(line), job_id: job.id });
  if (line.status === null) return [log];
  return [log, eventText('status', idOf(true), statusView(job, line, line.status))];
}

/** The position of a client, without an event. */
export function positionText(id: string): string {
  return `id: ${id}\n\n`;
}

/** One event. JSON has no line breaks, so the data is one line. */
export function eventText(name: 'log' | 'status', id: string, data: object): string {
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The job as it was when it was accepted. */
function createdView(job: JobRow): JobSummaryView {
  return toJobSummaryView({ ...job, status: 'pending', retries: 0, updatedAt: job.createdAt });
}

/** The job as it was at that line, as far as it is still known: a later attempt may have used more retries. */
function statusView(job: JobRow, { attempt, at }: EventLine, status: JobRow['status']): JobSummaryView {
  const retries = Math.min(job.retries, status === 'pending' ? attempt : attempt - 1);
  return toJobSummaryView({ ...job, status, retries, updatedAt: job.status === status ? job.updatedAt : at });
}
