import type { Command } from 'commander';
import type { App } from './app.js';
import { collect, given, readObject, toNumber } from './option-parsers.js';

/** What a submission and a schedule have in common. */
export interface JobFlags {
  payload: string;
  tag?: string[];
  key?: string;
  limit?: string;
  priority?: number;
  maxRetries?: number;
  callbackUrl?: string;
}

export function addJobOptions(command: Command): Command {
  return command
    .option('--payload <json>', 'the payload: JSON, @file, or - for the standard input', '{}')
    .option('--tag <tag>', 'a tag; may be repeated', collect)
    .option('--key <key>', 'the customer, account or other thing by which limits count')
    .option('--limit <name>', 'a limit that the job counts against')
    .option('--priority <number>', '0 to 9, higher first', toNumber)
    .option('--max-retries <number>', 'how often the job is retried at most', toNumber)
    .option('--callback-url <url>', 'where the end of the job is sent');
}

/** The payload, and the fields of the job that were given. */
export async function readJob({ io }: App, flags: JobFlags) {
  const { tag: tags, key, limit, priority, maxRetries: max_retries, callbackUrl: callback_url } = flags;
  const payload = await readObject('--payload', flags.payload, io);
  return { payload, fields: given({ tags, key, limit, priority, max_retries, callback_url }) };
}
