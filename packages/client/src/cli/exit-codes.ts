import { CommanderError } from 'commander';
import { JoblineError } from '../jobline-error.js';

/** The table in docs/cli.md. */
export const EXIT = { success: 0, jobFailed: 1, usage: 2, refused: 3, unreachable: 4, interrupted: 130 } as const;

/** The command cannot work in the way in which it was called. The message says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.success; // --help and --version
  if (!(error instanceof JoblineError) || error.code === 'invalid_options') return EXIT.usage;
  return wasRefused(error) ? EXIT.refused : EXIT.unreachable;
}

/** Whether the API itself said no. If its database is down, another try may succeed. */
export function wasRefused({ code, status }: JoblineError): boolean {
  return status > 0 && code !== 'unexpected' && code !== 'unavailable';
}
