import { CommanderError } from 'commander';
import { JoblineError } from '../jobline-error.js';
import type { App } from './app.js';
import { UsageError } from './exit-codes.js';

/** Prints what went wrong, what to do next, and what was done already. */
export function reportError(app: App, error: unknown, done = ''): void {
  if (error instanceof CommanderError) return; // commander has printed it
  app.out.error([messageOf(error), adviceFor(app, error), done].filter(Boolean).join('\n'));
}

function messageOf(error: unknown): string {
  if (error instanceof JoblineError || error instanceof UsageError) return error.message;
  return error instanceof Error && error.stack ? error.stack : String(error);
}

function adviceFor({ connection }: App, error: unknown): string {
  const code = error instanceof JoblineError ? error.code : null;
  if (code === 'timeout') return 'Try again, or wait longer.';
  if (code === 'forbidden')
    return 'Ask an owner of your organization for the right, or use `jobline login` as someone else.';
  if (code !== 'unauthenticated' || !connection) return '';
  const { profile, key } = connection;
  if (profile === null) return 'JOBLINE_API_KEY has the key. For an account instead, unset it and use `jobline login`.';
  return key === undefined
    ? `The session of the profile ${profile} has ended. Use \`jobline login\` again.`
    : `The profile ${profile} has a key. For an account instead, use \`jobline login\`.`;
}
