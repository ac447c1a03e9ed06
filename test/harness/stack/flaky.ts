import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What the reporter writes at the end of a run. */
export interface RunResult {
  passed: number;
  failed: number;
  skipped: number;
  /** The files with failures, each with what it printed and the number of its tests that passed. */
  failedFiles: { path: string; passed: number; output: string[] }[];
  /** Whether something failed that belongs to no file. */
  hasOtherFailures: boolean;
}

/** The result that a run has left. Null if the run ended before that. */
export function readResult(file: string): RunResult | null {
  // The cast: the reporter writes it.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunResult) : null;
}

interface Runs {
  exitCode: number;
  result: RunResult | null;
  /** Runs one file alone. */
  again: (path: string) => Promise<Pick<Runs, 'exitCode' | 'result'>>;
  /** The flaky file of the whole check, if there was one; it may consist of several runs. */
  noteFile: string;
  say: (line: string) => void;
}

/**
 * Decides about a run whose tests may be flaky. If a single file failed, it runs once more, alone. If it passes then,
 * the run has passed, and the file is noted with both outputs. A second such file fails. Returns the exit code.
 */
export async function decideFlaky({ exitCode, result, again, noteFile, say }: Runs): Promise<number> {
  const [file, ...others] = result?.failedFiles ?? [];
  if (exitCode === 0 || !result || !file || others.length > 0 || result.hasOtherFailures) return exitCode;
  if (result.skipped > 0) return exitCode;
  if (existsSync(noteFile) && readFileSync(noteFile, 'utf8') !== '') {
    say('A file was flaky before. A second one fails the run.');
    return exitCode;
  }
  say(`\n${file.path} failed. It runs once more, alone.`);
  const second = await again(file.path);
  const hasPassed = second.exitCode === 0 && second.result !== null;
  if (hasPassed) {
    const note = noteOf(file, second.result);
    appendFileSync(noteFile, note);
    say(`\n${note}`);
  }
  const passed = result.passed - file.passed + (second.result?.passed ?? 0);
  say(`${hasPassed ? passed : result.passed} passed, ${hasPassed ? 0 : result.failed} failed, 0 skipped`);
  return hasPassed ? 0 : exitCode;
}

function noteOf(file: RunResult['failedFiles'][number], second: RunResult | null): string {
  return [
    `FLAKY  ${file.path}: it failed, and passed when it ran alone. Find the cause first.`,
    'The first output:',
    ...file.output.flatMap((text) => text.split('\n')).map((line) => `  ${line}`),
    'The second output:',
    `  ${second?.passed} passed, ${second?.failed} failed, ${second?.skipped} skipped`,
    '',
  ].join('\n');
}
