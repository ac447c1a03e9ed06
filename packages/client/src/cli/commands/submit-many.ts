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
  const lines = error.details.map(({ path, message }) => {
    const [, index, field = ''] = /^jobs\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    return index === undefined ? message : `line ${lineOf(Number(index))}: ${field} ${message}`;
  });
  if (lines.length === 0) return error;
  const { code, status, details } = error;
  const shown = lines.slice(0, 3).join('; ');
  return new JoblineError({ code, status, details, message: lines.length > 3 ? `${shown}; …` : shown });
}
