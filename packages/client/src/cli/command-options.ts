import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PAYLOAD_FIELDS } from '../generated/operations.js';
import type { BulkFilter } from '../types.js';
import type { App } from './app.js';
import { UsageError } from './exit-codes.js';
import { openQuestions } from './terminal.js';

/** The parsers of option values. Bounds of numbers are checked by the API. */

export function toNumber(text: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

export function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

export const toFutureTime = (text: string): string => toTime(text, 1);
const toPastTime = (text: string): string => toTime(text, -1);

/** Reads an option that is JSON, `@` with a file that has it, or `-` for the standard input. */
export async function readObject(option: string, source: string, { stdin }: Pick<App['io'], 'stdin'>): Promise<object> {
  const text = await readSource(option, source, stdin);
  const value: unknown = parseJson(text, option);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${option} must be a JSON object, such as '{"name": "Ada"}'.`);
  return value;
}

/** The fields that have a value. */
export function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  // The cast: exactly the absent values are left out.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof given<T>
  >;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An ISO time, or a duration from now such as `90s`, `15m`, `2h` or `7d`. */
function toTime(text: string, direction: 1 | -1): string {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = count === undefined ? Date.parse(text) : Date.now() + direction * Number(count) * (UNIT_MS[unit] ?? 0);
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('It must be an ISO time or a duration such as 90s, 15m, 2h or 7d.');
  return new Date(ms).toISOString();
}

async function readSource(option: string, source: string, stdin: App['io']['stdin']): Promise<string> {
  if (source === '-') return readText(stdin);
  if (!source.startsWith('@')) return source;
  try {
    return await readFile(source.slice(1), 'utf8');
  } catch (error) {
    throw new UsageError(`The file of ${option} cannot be read: ${String(error)}`);
  }
}

function parseJson(text: string, option: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    throw new UsageError(`${option} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** Parses JSON. Rejects an integer that would be rounded, if this version of Node shows how it was written. */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name: string, value: unknown, { source = '' }: { source?: string } = {}) => {
    if (typeof value === 'number' && /^-?\d+$/.test(source) && BigInt(source) !== BigInt(value))
      throw new Error(`"${name}" has an integer that would be rounded; write it as a text`);
    return value;
  });
}

/** Names the fields of a payload that the built-in type does not know. */
function warnOfIgnored(out: App['out'], type: string, payload: object): void {
  const known = PAYLOAD_FIELDS[type];
  const ignored = known ? Object.keys(payload).filter((name) => !known.includes(name)) : [];
  if (ignored.length > 0) out.warn(`${type} ignores: ${ignored.slice(0, MAX_IGNORED).join(', ')}`);
}

/** How many ignored fields are named at most. */
const MAX_IGNORED = 20;

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

/** The payload, and the fields of the job that were given. Warns of fields of the payload that the type ignores. */
export async function readJob({ io, out }: App, type: string, flags: JobFlags) {
  const { tag: tags, key, limit, priority, maxRetries: max_retries, callbackUrl: callback_url } = flags;
  const payload = await readObject('--payload', flags.payload, io);
  warnOfIgnored(out, type, payload);
  return { payload, fields: given({ tags, key, limit, priority, max_retries, callback_url }) };
}

export interface FilterFlags {
  status?: NonNullable<BulkFilter['status']>;
  type?: string;
  tag?: string[];
  key?: string;
  errorCode?: NonNullable<BulkFilter['error_code']>;
  schedule?: string;
  after?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export function addFilterOptions(command: Command): Command {
  const statuses = ['pending', 'processing', 'done', 'completed', 'failed'];
  return command
    .addOption(new Option('--status <status>', 'jobs with this status').choices(statuses))
    .option('--type <type>', 'jobs of this type')
    .option('--tag <tag>', 'jobs with this tag; may be repeated', collect)
    .option('--key <key>', 'jobs that were submitted with this key')
    .option('--error-code <code>', 'jobs that failed with this error code')
    .option('--schedule <id>', 'jobs of this schedule')
    .option('--after <id>', 'jobs that wait or waited for this job')
    .option('--created-after <time>', 'jobs created since then: ISO, or before now as in 2h', toPastTime)
    .option('--created-before <time>', 'jobs created before then: ISO, or before now as in 7d', toPastTime);
}

/** Filters of bulk actions only. */
export interface EndedFlags {
  message?: string;
  endedAfter?: string;
  endedBefore?: string;
}

export function addEndedOptions(command: Command): Command {
  return command
    .option('--message <text>', 'jobs that failed with this message of a group of `jobline failures`')
    .option('--ended-after <time>', 'jobs that ended since then: ISO, or before now as in 2h', toPastTime)
    .option('--ended-before <time>', 'jobs that ended before then: ISO, or before now as in 7d', toPastTime);
}

export function readFilter(flags: FilterFlags) {
  const { status, type, tag, key, errorCode, schedule, after, createdAfter, createdBefore } = flags;
  const times = { created_after: createdAfter, created_before: createdBefore };
  return given({ status, type, tag, key, error_code: errorCode, schedule, after, ...times });
}

export interface ListFlags extends FilterFlags {
  about?: string;
  workerVersion?: string;
}

/** The filters that only a list has. */
export function addListOptions(command: Command): Command {
  return addFilterOptions(command)
    .option('--about <address>', 'jobs about this recipient, phone or host')
    .option('--worker-version <version>', 'jobs whose latest attempt ran on a worker of this version');
}

/** Asks a question on the terminal. */
export async function confirm(app: App, question: string): Promise<boolean> {
  const questions = openQuestions(app.io);
  return /^y(?:es)?$/i.test(await questions.ask(question).finally(() => questions.close()));
}
