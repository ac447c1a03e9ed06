import type { Command } from 'commander';
import type { App } from '../app.js';
import { define } from '../define.js';
import { addJobOptions, type JobFlags, readJob } from '../job-fields.js';
import { given, toFutureTime } from '../option-parsers.js';
import { waitForEnd } from './wait.js';

interface Flags extends JobFlags {
  id?: string;
  runAt?: string;
  expiresAt?: string;
  idempotencyKey?: string;
  wait?: true;
}

const EXAMPLE = `jobline submit send_sms --payload '{"to": "+254700000001", "message": "Hello"}' --max-retries 3 --wait`;

export function addSubmit(program: Command, app: App): void {
  addJobOptions(define(program, 'submit', 'submit a job and print its id', EXAMPLE).argument('<type>', 'the job type'))
    .option('--id <id>', 'an id of your choice')
    .option('--run-at <time>', 'not before this time: ISO, or from now on as in 15m', toFutureTime)
    .option('--expires-at <time>', 'no attempt starts from then on: ISO, or from now on as in 2h', toFutureTime)
    .option('--idempotency-key <key>', 'the same call with the same key submits one job')
    .option('--wait', 'wait until the job has finished; the exit code is 1 if it failed')
    .action((type: string, flags: Flags) => submit(app, type, flags));
}

async function submit(app: App, type: string, { id, runAt, expiresAt, idempotencyKey, wait, ...flags }: Flags) {
  const client = app.client();
  const { payload, fields } = await readJob(app, flags);
  const more = given({ id, run_at: runAt, expires_at: expiresAt, idempotencyKey });
  const job = await client.jobs.submit(type, payload, { ...fields, ...more });
  if (wait) {
    if (!app.out.isJson()) app.out.show(job, () => job.id);
    await waitForEnd(app, client, job.id);
  } else {
    app.out.show(job, () => job.id);
    app.out.note(`Submitted. \`jobline logs ${job.id} --follow\` shows its log.`);
  }
}
