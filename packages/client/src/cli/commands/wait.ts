import type { Command } from 'commander';
import type { Jobline } from '../../jobline.js';
import { MAX_TIMEOUT_MS } from '../../options.js';
import type { App } from '../app.js';
import { define } from '../define.js';
import { EXIT } from '../exit-codes.js';
import { toNumber } from '../option-parsers.js';
import { statusColor } from '../output/job-format.js';

export function addWait(program: Command, app: App): void {
  define(program, 'wait', 'wait until a job has ended; the exit code is 1 if it failed', 'jobline wait order-1001')
    .argument('<id>', 'the id of the job')
    .option('--timeout <seconds>', 'how long to wait at most', toNumber)
    .action((id: string, { timeout }: { timeout?: number }) => waitForEnd(app, app.client(), id, timeout));
}

/** Prints how the job ended. */
export async function waitForEnd(app: App, client: Jobline, id: string, timeoutS?: number): Promise<void> {
  app.out.note(`Waiting for job ${id}. Ctrl-C ends only the waiting.`);
  const job = await client.jobs.wait(id, { timeoutMs: timeoutS === undefined ? MAX_TIMEOUT_MS : timeoutS * 1_000 });
  app.out.show(job, (style) => style.paint(statusColor(job), job.status));
  if (job.status !== 'failed') return;
  app.exitCode = EXIT.jobFailed;
  // Without it, the exit code still says that the job failed.
  const { error } = await client.jobs.result(id).catch(() => ({ error: null }));
  const reason = error ? `: ${error.code}: ${error.message}` : '.';
  app.out.error(`Job ${id} failed${reason}\n\`jobline logs ${id}\` shows its attempts.`);
}
