import type { Command } from 'commander';
import type { Attempt, Job, JobResult } from '../../types.js';
import type { App } from '../app.js';
import { define } from '../define.js';
import { fields } from '../output/fields.js';
import { statusColor } from '../output/job-format.js';
import { printable } from '../output/printable.js';
import type { Style } from '../output/style.js';
import { type Column, table } from '../output/table.js';

export function addShow(program: Command, app: App): void {
  define(program, 'show', 'show a job with its payload, its result and its attempts', 'jobline show order-1001')
    .argument('<id>', 'the id of the job')
    .action((id: string) => show(app, id));
}

/** The largest page. A job has fewer attempts, unless it was retried by hand very often. */
const MOST_ATTEMPTS = 1_000;

async function show(app: App, id: string): Promise<void> {
  const { jobs } = app.client();
  const [job, result, attempts] = await Promise.all([
    jobs.get(id),
    jobs.result(id),
    jobs.attempts(id, { limit: MOST_ATTEMPTS }),
  ]);
  app.out.show({ ...job, result: result.result, error: result.error }, (style) =>
    [
      fields(style, valuesOf(style, job, result), { Status: statusColor(job), Error: 'red' }),
      json(style, 'Payload', job.payload),
      json(style, 'Result', result.result),
      table(style, attempts.data, ATTEMPT_COLUMNS),
    ]
      .filter(Boolean)
      .join('\n\n'),
  );
}

function valuesOf(style: Style, job: Job, { error, duration_ms }: JobResult) {
  return {
    Id: job.id,
    Type: job.type,
    Status: job.status,
    'Waits for': job.waiting_for,
    Error: error && `${error.code}: ${error.message}`,
    Retries: `${job.retries} of ${job.max_retries}`,
    Created: style.time(job.created_at),
    Updated: style.time(job.updated_at),
    Expires: job.expires_at && style.time(job.expires_at),
    'Last attempt': duration_ms === null ? null : `${duration_ms} ms`,
    Tags: job.tags?.join(' '),
    Key: job.key,
    Limit: job.limit,
    Schedule: job.schedule_id,
    'Planned at': job.planned_at && style.time(job.planned_at),
    'Rerun of': job.rerun_of,
    'Callback URL': job.callback_url,
  };
}

const ATTEMPT_COLUMNS: Column<Attempt>[] = [
  { head: 'ATTEMPT', value: ({ attempt }) => attempt },
  { head: 'STARTED', value: ({ started_at }, style) => style.time(started_at) },
  { head: 'MS', value: ({ duration_ms }) => duration_ms ?? '-' },
  { head: 'OUTCOME', value: ({ outcome }) => outcome },
  { head: 'ERROR', value: ({ error }) => (error ? `${error.code}: ${error.message}` : ''), isFlexible: true },
];

function json(style: Style, name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  return `${style.paint('dim', name)}\n${printable(JSON.stringify(value, null, 2))}`;
}
