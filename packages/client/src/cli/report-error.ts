import { CommanderError } from 'commander';
import { JoblineError, type JoblineErrorCode } from '../jobline-error.js';
import type { App } from './app.js';
import type { Connection } from './connection.js';
import { UsageError } from './exit-codes.js';

/** Prints what went wrong, what to do next, and what was done already. */
export function reportError(app: App, error: unknown, done = ''): void {
  if (error instanceof CommanderError) return; // commander has printed it
  app.out.error([messageOf(app, error), done].filter(Boolean).join('\n'));
}

function messageOf({ connection }: App, error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof JoblineError)) return error instanceof Error && error.stack ? error.stack : String(error);
  if (error.code === 'unauthenticated')
    return connection ? rejectedCredential(connection) : 'The API does not know this key.';
  const advice = ADVICE[error.code];
  return advice ? `${error.message}\n${advice}` : error.message;
}

const ADVICE: Partial<Record<JoblineErrorCode, string>> = {
  forbidden: 'Ask an owner of your organization for the right, or use `jobline login` as someone else.',
  not_found: 'Check the id or the name. It must be one of your organization.',
  timeout: 'Try again, or wait longer.',
};

function rejectedCredential({ profile, key }: Connection): string {
  if (profile === null)
    return 'The API rejected the key in JOBLINE_API_KEY.\nCheck it. For what keys may not do, unset it and use `jobline login`.';
  return key === undefined
    ? `The session of the profile ${profile} has ended.\nTo start another one, use \`jobline login\`.`
    : `The API rejected the key of the profile ${profile}.\nCheck it. For what keys may not do, use \`jobline login\`.`;
}
