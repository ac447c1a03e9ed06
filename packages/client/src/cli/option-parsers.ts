import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { UsageError } from './exit-codes.js';
import type { Io } from './io.js';

/** The parsers of option values. Bounds of numbers are checked by the API. */

export function toNumber(text: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

export function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

export const toFutureTime = (text: string): string => toTime(text, 1);
export const toPastTime = (text: string): string => toTime(text, -1);

/** Reads an option that is JSON, `@` with a file that has it, or `-` for the standard input. */
export async function readObject(option: string, source: string, { stdin }: Pick<Io, 'stdin'>): Promise<object> {
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

async function readSource(option: string, source: string, stdin: Io['stdin']): Promise<string> {
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
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${option} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
