import type { Command } from 'commander';
import type { Jobline } from '../../jobline.js';
import { MAX_TIMEOUT_MS } from '../../options.js';
import type { App } from '../app.js';
import { define } from '../define.js';
import { EXIT } from '../exit-codes.js';
import { toNumber } from '../option-parsers.js';
import { statusColor } from '../output/job-format.js';

export function addWait(program: Command, app: App): void {
  define(program, 'wait', 'wait until a job has finished; the exit code is 1 if it failed', 'jobline wait order-1001')
    .argument('<id>', 'the id of the job')
    .option('--timeout <seconds>', 'how long to wait at most', toNumber)
    .action((id: string, { timeout }: { timeout?: number }) => waitForEnd(app, app.client(), id, timeout));
}

/** Prints the status of the finished job. */
export async function waitForEnd(app: App, client: Jobline, id: string, timeoutS?: number): Promise<void> {
  app.mustFinish = true;
  app.out.note(`Waiting for job ${id}. Ctrl-C ends only the waiting.`);
  const job = await client.jobs.wait(id, { timeoutMs: timeoutS === undefined ? MAX_TIMEOUT_MS : timeoutS * 1_000 });
  app.out.show(job, (style) => style.paint(statusColor(job), job.status));
  if (job.status !== 'failed') return;
  app.exitCode = EXIT.jobFailed;
  const reason = await readReason(client, id);
  app.out.error(`Job ${id} failed${reason}\n\`jobline logs ${id}\` shows its attempts.`);
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
