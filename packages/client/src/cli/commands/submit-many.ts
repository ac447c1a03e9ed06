import type { Command } from 'commander';
import { newIdempotencyKey } from '../../http/idempotency-key.js';
import { JoblineError } from '../../jobline-error.js';
import type { App } from '../app.js';
import { define } from '../define.js';
import { exitCodeOf } from '../exit-codes.js';
import { openJobFile } from '../job-file.js';
import { type Progress, startProgress } from '../progress.js';
import { reportError } from '../report-error.js';

interface Flags {
  idempotencyKey?: string;
}

/** The rate limit of submissions needs some retries. An API that is down is reported after about ten seconds. */
const MAX_RETRIES = 6;

export function addSubmitMany(program: Command, app: App): void {
  define(program, 'submit-many', 'submit the jobs of a file', 'jobline submit-many jobs.ndjson')
    .argument('<file>', 'a file with one job per line, as JSON with type and payload; - for the standard input')
    .option('--idempotency-key <key>', 'the same file with the same key is submitted once')
    .action((file: string, { idempotencyKey }: Flags) => submitMany(app, file, idempotencyKey));
}

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
