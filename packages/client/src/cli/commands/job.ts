import type { Command } from 'commander';
import type { Jobline } from '../../jobline.js';
import { MAX_TIMEOUT_MS } from '../../options.js';
import type { Attempt, Condition, Job, JobResult, JobSummary, LogEntry, Progress } from '../../types.js';
import { type App, define } from '../app.js';
import { toNumber } from '../command-options.js';
import { EXIT } from '../exit-codes.js';
import { type Column, fields, logLine, statusColor, table } from '../format.js';
import { printable, type Style } from '../output.js';
import { type Progress as Bar, startProgress } from '../terminal.js';

const ID = ['<id>', 'the id of the job'] as const;

/** The commands that read one job. */
export function addJob(program: Command, app: App): void {
  define(program, 'show', 'show a job with its payload, its result and its attempts', 'jobline show order-1001')
    .argument(...ID)
    .action((id: string) => show(app, id));
  define(program, 'logs', 'print the log of a job', 'jobline logs order-1001 --follow')
    .argument(...ID)
    .option('--follow', 'print new lines until the job has finished')
    .action((id: string, { follow: isFollowing }: { follow?: true }) =>
      isFollowing ? follow(app, id) : print(app, id),
    );
  define(program, 'wait', 'wait until a job has finished; the exit code is 1 if it failed', 'jobline wait order-1001')
    .argument(...ID)
    .option('--timeout <seconds>', 'how long to wait at most', toNumber)
    .action((id: string, { timeout }: { timeout?: number }) => waitForEnd(app, app.client(), id, timeout));
}

/** The largest page. A job has fewer attempts, unless it was retried by hand very often. */
const MAX_PAGE = 1_000;
/** How many of the jobs that wait for a job are named. */
const MAX_WAITERS = 20;

async function show(app: App, id: string): Promise<void> {
  const { jobs } = app.client();
  const [job, result, attempts, waiters] = await Promise.all([
    jobs.get(id),
    jobs.result(id),
    jobs.attempts(id, { limit: MAX_PAGE }),
    jobs.list({ after: id, limit: MAX_WAITERS + 1 }),
  ]);
  app.out.show({ ...job, result: result.result, error: result.error }, (style) =>
    [
      fields(
        style,
        { ...valuesOf(style, job, result), 'Waited for by': waitersText(id, waiters.data) },
        { Status: statusColor(job), Error: 'red' },
      ),
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
    After: job.after?.map(conditionText).join(', '),
    Error: error && `${error.code}: ${error.message}`,
    Progress: job.status === 'done' ? null : job.progress && progressText(job.progress),
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

function conditionText({ id, when, state }: Condition): string {
  return `${id} (${when}, ${state})`;
}

function waitersText(id: string, waiters: readonly JobSummary[]): string {
  const texts = waiters.slice(0, MAX_WAITERS).map((waiter) => `${waiter.id} (${waiter.status})`);
  const more = waiters.length > MAX_WAITERS ? `; \`jobline list --after ${id}\` lists all` : '';
  return `${texts.join(', ')}${more}`;
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

async function print(app: App, id: string): Promise<void> {
  const entries = await readLog(app.client(), id);
  const [first] = entries;
  app.out.show(entries, (style) =>
    first ? entries.map((entry) => logLine(style, entry, first.timestamp)).join('\n') : '',
  );
}

async function readLog({ jobs }: Jobline, id: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (let after: string | null = null; ; ) {
    const page = await jobs.logs(id, { limit: MAX_PAGE, ...(after !== null && { after }) });
    entries.push(...page.data);
    if (page.data.length < MAX_PAGE) return entries;
    after = page.nextCursor;
  }
}

async function follow(app: App, id: string): Promise<void> {
  let firstAt: string | null = null;
  for await (const { event, data } of app.client().jobs.follow(id)) {
    if (event === 'status') {
      const { status, progress } = data;
      app.out.note(progress ? `Job ${id}: ${progressText(progress)}` : `Job ${id} is ${status}.`);
    } else {
      const since: string = firstAt ?? data.timestamp;
      firstAt = since;
      app.out.showOne(data, (style) => logLine(style, data, since));
    }
  }
}

/** Prints the status of the finished job. */
export async function waitForEnd(app: App, client: Jobline, id: string, timeoutS?: number): Promise<void> {
  app.mustFinish = true;
  app.out.note(`Waiting for job ${id}. Ctrl-C ends only the waiting.`);
  const progress = showProgress(app);
  const job = await client.jobs
    .wait(id, { timeoutMs: timeoutS === undefined ? MAX_TIMEOUT_MS : timeoutS * 1_000, onProgress: progress.show })
    .finally(progress.end);
  app.out.show(job, (style) => style.paint(statusColor(job), job.status));
  if (job.status !== 'failed') return;
  app.exitCode = EXIT.jobFailed;
  const reason = await readReason(client, id);
  app.out.error(`Job ${id} failed${reason}\n\`jobline logs ${id}\` shows its attempts.`);
}

/** Shows the progress of a job in one line, on terminals only. */
function showProgress(app: App) {
  let bar: Bar | null = null;
  return {
    show({ percent, text }: Progress): void {
      bar ??= startProgress(app, 'Progress', 100, ' {text}');
      bar.update(Math.floor(percent), { text: oneLine(text) });
    },
    end: () => bar?.stop(),
  };
}

const MAX_TEXT_LENGTH = 40;

/** The text of a progress, short enough for a line. */
function oneLine(text: string | null): string {
  return printable((text ?? '').replace(/\s+/g, ' ')).slice(0, MAX_TEXT_LENGTH);
}

function progressText({ percent, text }: Progress): string {
  return `${Math.floor(percent)} %${text ? `, ${text}` : ''}`;
}

/** Why the job failed. Never throws, so that the exit code stays that of a failed job. */
async function readReason({ jobs }: Jobline, id: string): Promise<string> {
  try {
    const { error } = await jobs.result(id);
    return error ? `: ${error.code}: ${error.message}` : '.';
  } catch (error) {
    return `. The reason could not be read: ${error instanceof Error ? error.message : error}`;
  }
}
