import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { newIdempotencyKey } from '../../http/request.js';
import type { NewJob } from '../../job-types.js';
import { JoblineError } from '../../jobline-error.js';
import type { Condition } from '../../types.js';
import { type App, define, reportError } from '../app.js';
import {
  addJobOptions,
  collect,
  given,
  type JobFlags,
  parseExactly,
  readJob,
  toFutureTime,
} from '../command-options.js';
import { exitCodeOf, UsageError } from '../exit-codes.js';
import { type Progress, startProgress } from '../terminal.js';
import { waitForEnd } from './job.js';

interface Flags extends JobFlags {
  id?: string;
  runAt?: string;
  expiresAt?: string;
  after?: string[];
  idempotencyKey?: string;
  wait?: true;
}

const EXAMPLE = `jobline submit send_sms --payload '{"to": "+254700000001", "message": "Hello"}' --max-retries 3 --wait`;

export function addSubmit(program: Command, app: App): void {
  addJobOptions(define(program, 'submit', 'submit a job and print its id', EXAMPLE).argument('<type>', 'the job type'))
    .option('--id <id>', 'an id of your choice')
    .option('--run-at <time>', 'not before this time: ISO, or from now on as in 15m', toFutureTime)
    .option('--expires-at <time>', 'no attempt starts from then on: ISO, or from now on as in 2h', toFutureTime)
    .option('--after <id>', 'a job that must be done first; or <id>=ended, <id>=paid; may be repeated', collect)
    .option('--idempotency-key <key>', 'the same call with the same key submits one job')
    .option('--wait', 'wait until the job has finished; the exit code is 1 if it failed')
    .action((type: string, flags: Flags) => submit(app, type, flags));
  define(program, 'submit-many', 'submit the jobs of a file', 'jobline submit-many jobs.ndjson')
    .argument('<file>', 'a file with one job per line, as JSON with type and payload; - for the standard input')
    .option('--idempotency-key <key>', 'the same file with the same key is submitted once')
    .action((file: string, { idempotencyKey }: Pick<Flags, 'idempotencyKey'>) => submitMany(app, file, idempotencyKey));
}

async function submit(app: App, type: string, flags: Flags) {
  const { id, runAt, expiresAt, after, idempotencyKey, wait } = flags;
  const client = app.client();
  const { payload, fields } = await readJob(app, type, flags);
  const more = given({ id, run_at: runAt, expires_at: expiresAt, after: after?.map(toCondition), idempotencyKey });
  const job = await client.jobs.submit(type, payload, { ...fields, ...more });
  if (wait) {
    if (!app.out.isJson()) app.out.show(job, () => job.id);
    await waitForEnd(app, client, job.id);
  } else {
    app.out.show(job, () => job.id);
    app.out.note(`Submitted. \`jobline logs ${job.id} --follow\` shows its log.`);
  }
}

/** A condition of the option --after: `<id>` or `<id>=<when>`. The API checks it. */
function toCondition(text: string) {
  const [id = '', when] = text.split('=', 2);
  // The cast: see above.
  return when === undefined ? id : { id, when: when as Condition['when'] };
}

/** The rate limit of submissions needs some retries. An API that is down is reported after about ten seconds. */
const MAX_RETRIES = 6;

async function submitMany(app: App, path: string, idempotencyKey: string = newIdempotencyKey()): Promise<void> {
  const client = app.client();
  const file = await openJobFile(path, app.io.stdin);
  let progress: Progress | null = null;
  let accepted = 0;
  const done = () => (accepted === 1 ? '1 job was accepted.' : `${accepted} jobs were accepted.`);
  const outcome = () =>
    `${done()} To submit the rest, add --idempotency-key ${idempotencyKey}: no job is submitted twice.`;
  app.atInterrupt = () => `${outcome()}\n`;
  try {
    progress = startProgress(app, 'Submitting', await file.count());
    const ids = await client.jobs.submitMany(file.jobs(), {
      idempotencyKey,
      maxRetries: MAX_RETRIES,
      onProgress({ submitted }) {
        accepted = submitted;
        progress?.update(submitted);
      },
    });
    progress.stop();
    app.out.show({ accepted, ids }, (style) => (style.isTerminal ? '' : ids.join('\n')));
    app.out.note(done());
  } catch (error) {
    progress?.stop();
    reportError(app, error instanceof JoblineError ? withLines(error, file.lineOf) : error, outcome());
    app.exitCode = exitCodeOf(error);
  }
}

/** Names the lines of the file instead of positions in the list. */
function withLines(error: JoblineError, lineOf: (index: number) => number): JoblineError {
  const { code, status, summary: message } = error;
  const details = error.details.map((detail) => {
    const [, index, field] = /^jobs\[(\d+)\]\.?(.*)$/.exec(detail.path) ?? [];
    const line = `line ${lineOf(Number(index))}`;
    return index === undefined ? detail : { ...detail, path: field ? `${line}, ${field}` : line };
  });
  return new JoblineError({ code, status, message, details });
}

/** Reads a file with one job per line. Empty lines are skipped. Throws UsageError if the file cannot be read. */
async function openJobFile(path: string, stdin: App['io']['stdin']) {
  const isRegular = path !== '-' && (await isRegularFile(path));
  const lineNumbers: number[] = [];

  async function* jobs(): AsyncGenerator<NewJob> {
    lineNumbers.length = 0;
    const handle = path === '-' ? null : await open(path);
    const lines = handle ? handle.readLines() : createInterface({ input: stdin });
    let number = 0;
    for await (const line of lines) {
      number++;
      if (line.trim() === '') continue;
      lineNumbers.push(number);
      yield parseJob(line, number);
    }
  }

  return {
    /** The number of jobs; null if the file can be read only once. Throws if a line is not a JSON object. */
    async count(): Promise<number | null> {
      if (!isRegular) return null;
      for await (const _job of jobs());
      return lineNumbers.length;
    },
    jobs,
    /** The line of a job that `jobs` has returned. */
    lineOf: (index: number) => lineNumbers[index] ?? 0,
  };
}

async function isRegularFile(path: string): Promise<boolean> {
  try {
    // Not opened: the writer of a pipe would find that its reader has gone.
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a folder');
    return found.isFile();
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function parseJob(line: string, number: number): NewJob {
  try {
    const job: unknown = parseExactly(line);
    // The cast: the API checks the fields.
    if (typeof job === 'object' && job !== null && !Array.isArray(job)) return job as NewJob;
  } catch (error) {
    throw new UsageError(`Line ${number} is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
  throw new UsageError(`Line ${number} is not a JSON object.`);
}
