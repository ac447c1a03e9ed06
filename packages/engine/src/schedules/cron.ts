import { LIMITS } from '@jobline/contracts';
import { CronPattern, Cron as CronRuns } from 'croner';

/**
 * The local times of a cron expression, as if they were in UTC. A search of the library ends at the year 3000, or 400 years
 * back, which takes a few ms.
 */
export interface Cron {
  /** The first time after this one; null: there is none. */
  next(afterMs: number): number | null;
  /** The last time before this one; null: there is none. */
  previous(beforeMs: number): number | null;
}

/** The end of a sentence that begins with the name of the field. */
export type CronIssue = string;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
};
const FIELDS = ['second', 'minute', 'hour', 'day of the month', 'month', 'day of the week'];
const DAY_OF_MONTH = 3;
/** A value, a range, or a step. The library also accepts forms that are not part of the API. */
const ITEM = /^(?:\*|(?:\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?)(?:\/\d{1,2})?$/i;
/** Times without a zone. A number with a step, such as 5/15, means from this number on. */
const OPTIONS = { mode: '5-or-6-parts', sloppyRanges: true } as const;
/** The dates repeat after this time, until the year 2100. */
const CALENDAR_YEARS = 28;
const DAY_MS = 24 * 3_600_000;
/** Each uses about 80 KB. */
const MAX_REMEMBERED = 50;

const opened = new Map<string, Cron>();

/** The times of an expression that has no issue. */
export function openCron(expression: string): Cron {
  const known = opened.get(expression);
  if (known) return known;
  const runs = new CronRuns(fieldsOf(expression), { ...OPTIONS, utcOffset: 0 });
  const cron: Cron = {
    next: (afterMs) => runs.nextRun(new Date(afterMs))?.getTime() ?? null,
    previous: (beforeMs) => runs.previousRuns(1, new Date(beforeMs))[0]?.getTime() ?? null,
  };
  if (opened.size >= MAX_REMEMBERED) opened.clear();
  opened.set(expression, cron);
  return cron;
}

/** The values of the fields of an expression. Throws a TypeError or RangeError if a value is invalid. */
export function parsePattern(expression: string): CronPattern {
  return new CronPattern(fieldsOf(expression), undefined, OPTIONS);
}

function fieldsOf(expression: string): string {
  return NICKNAMES[expression] ?? expression;
}

/** Why an expression is invalid; null: it is valid. */
export function findCronIssue(expression: string): CronIssue | null {
  const { cronLength, leastSeconds } = LIMITS.schedules;
  if (expression.length > cronLength) return `must have at most ${cronLength} characters`;
  const issue = findSyntaxIssue(expression);
  if (issue !== null) return issue;
  try {
    if (!isTooOften(parsePattern(expression))) return null;
    return `must not run more often than every ${leastSeconds} seconds`;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return libraryIssue(error);
    throw error;
  }
}

function findSyntaxIssue(expression: string): CronIssue | null {
  if (expression.startsWith('@')) {
    if (Object.hasOwn(NICKNAMES, expression)) return null;
    return `must be one of ${Object.keys(NICKNAMES).join(', ')} if it begins with @`;
  }
  const fields = expression.split(' ').filter((field) => field !== '');
  if (fields.length !== 5 && fields.length !== 6) return 'must have five fields, or six with the seconds first';
  for (const [n, field] of fields.entries()) {
    const position = n + FIELDS.length - fields.length;
    const wrong = field
      .split(',')
      .find((item) => !ITEM.test(item) && !(position === DAY_OF_MONTH && /^l$/i.test(item)));
    if (wrong !== undefined) return `has an invalid ${FIELDS[position]}: "${wrong}"`;
  }
  return null;
}

/** `CronPattern: Invalid value for hour: 24`. */
function libraryIssue({ message }: Error): CronIssue {
  return `is invalid: ${message.replace(/^CronPattern: /, '').replace(/^Syntax error, /, '')}`;
}

/** Whether two times follow each other too soon by the clock on the wall, across the ends of minutes, hours and days too. */
function isTooOften(pattern: CronPattern): boolean {
  const seconds = setIn(pattern.second);
  const [first = 0, last = 0] = [seconds[0], seconds.at(-1)];
  const isClose = (from: number, to: number) => to - from < LIMITS.schedules.leastSeconds;
  if (seconds.some((second, n) => n > 0 && isClose(seconds[n - 1] ?? 0, second))) return true;
  return isClose(last, first + 60) && hasNextMinute(pattern);
}

/** Whether the plan contains a minute and the one after it. */
function hasNextMinute(pattern: CronPattern): boolean {
  const [minutes, hours] = [setIn(pattern.minute), setIn(pattern.hour)];
  if (hasNext(minutes)) return true;
  if (!minutes.includes(59) || !minutes.includes(0)) return false;
  return hasNext(hours) || (hours.includes(23) && hours.includes(0) && hasNextDay(pattern));
}

function hasNextDay(pattern: CronPattern): boolean {
  const start = Date.UTC(2_000, 0, 1);
  const end = Date.UTC(2_000 + CALENDAR_YEARS, 0, 2);
  let wasDay = false;
  for (let at = start; at < end; at += DAY_MS) {
    const isDay = isDayOf(pattern, new Date(at));
    if (isDay && wasDay) return true;
    wasDay = isDay;
  }
  return false;
}

function isDayOf(pattern: CronPattern, date: Date): boolean {
  if (!pattern.month[date.getUTCMonth()]) return false;
  const isLast = new Date(date.getTime() + DAY_MS).getUTCDate() === 1;
  const isOfMonth = pattern.day[date.getUTCDate() - 1] === 1 || (pattern.lastDayOfMonth && isLast);
  const isOfWeek = pattern.dayOfWeek[date.getUTCDay()] !== 0;
  return pattern.starDOM || pattern.starDOW ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}

function hasNext(values: readonly number[]): boolean {
  return values.some((value) => values.includes(value + 1));
}

/** The values of a field, in ascending order. */
export function setIn(field: readonly number[]): number[] {
  return field.flatMap((isSet, value) => (isSet ? [value] : []));
}
