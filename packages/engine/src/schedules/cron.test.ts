import { describe, expect, it } from 'vitest';
import { findCronIssue, openCron, parsePattern } from './cron.js';

const DAY_MS = 24 * 3_600_000;
const from = Date.parse('2026-01-01T00:00:00Z');
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(0, 19).replace('T', ' '));

function nextTimes(expression: string, count: number): (string | null)[] {
  const cron = openCron(expression);
  const times: (number | null)[] = [];
  for (let at: number | null = from; at !== null && times.length < count; times.push(at)) at = cron.next(at);
  return times.map(iso);
}

describe('an expression', () => {
  it.each([
    ['30 9 * * *', ['2026-01-01 09:30:00', '2026-01-02 09:30:00']],
    ['15 30 9 * * *', ['2026-01-01 09:30:15', '2026-01-02 09:30:15']],
    ['*/5 * * * * *', ['2026-01-01 00:00:05', '2026-01-01 00:00:10']],
    ['0 0 1 JAN,jul *', ['2026-07-01 00:00:00', '2027-01-01 00:00:00']],
    ['0 9 * * MON-FRI', ['2026-01-01 09:00:00', '2026-01-02 09:00:00', '2026-01-05 09:00:00']],
    ['0 0 * * 7', ['2026-01-04 00:00:00', '2026-01-11 00:00:00']],
    ['0 0 * * 6,7', ['2026-01-03 00:00:00', '2026-01-04 00:00:00', '2026-01-10 00:00:00']],
    ['0 0 * * 5-7', ['2026-01-02 00:00:00', '2026-01-03 00:00:00', '2026-01-04 00:00:00', '2026-01-09 00:00:00']],
    ['0 0 * * sat-sun', ['2026-01-03 00:00:00', '2026-01-04 00:00:00', '2026-01-10 00:00:00']],
    ['5/20 * * * *', ['2026-01-01 00:05:00', '2026-01-01 00:25:00', '2026-01-01 00:45:00', '2026-01-01 01:05:00']],
    ['10-20/5 3 * * *', ['2026-01-01 03:10:00', '2026-01-01 03:15:00', '2026-01-01 03:20:00', '2026-01-02 03:10:00']],
    ['0 0 L * *', ['2026-01-31 00:00:00', '2026-02-28 00:00:00', '2026-03-31 00:00:00']],
    ['0 0 L 2 *', ['2026-02-28 00:00:00', '2027-02-28 00:00:00', '2028-02-29 00:00:00']],
    ['0 0 l,15 * *', ['2026-01-15 00:00:00', '2026-01-31 00:00:00', '2026-02-15 00:00:00']],
    ['0 0 29 2 *', ['2028-02-29 00:00:00', '2032-02-29 00:00:00']],
    ['0 0 30 2 *', [null]],
    ['@hourly', ['2026-01-01 01:00:00', '2026-01-01 02:00:00']],
    ['@daily', ['2026-01-02 00:00:00', '2026-01-03 00:00:00']],
    ['@weekly', ['2026-01-04 00:00:00', '2026-01-11 00:00:00']],
    ['@monthly', ['2026-02-01 00:00:00', '2026-03-01 00:00:00']],
    // Two restricted day fields mean either of them; a step restricts too.
    ['0 0 13 * 5', ['2026-01-02 00:00:00', '2026-01-09 00:00:00', '2026-01-13 00:00:00', '2026-01-16 00:00:00']],
    ['0 0 */20 * 1', ['2026-01-05 00:00:00', '2026-01-12 00:00:00', '2026-01-19 00:00:00', '2026-01-21 00:00:00']],
  ])('%s has the right times', (expression, times) => {
    expect(findCronIssue(expression)).toBeNull();
    expect(nextTimes(expression, times.length)).toEqual(times);
  });

  it.each([
    ['', 'must have five fields, or six with the seconds first'],
    ['* * * *', 'must have five fields, or six with the seconds first'],
    ['0 0 0 1 1 * 2030', 'must have five fields, or six with the seconds first'],
    ['0 0 ? * *', 'has an invalid day of the month: "?"'],
    ['0 0 * * 1#2', 'has an invalid day of the week: "1#2"'],
    ['0 0 15W * *', 'has an invalid day of the month: "15W"'],
    ['0 0 LW * *', 'has an invalid day of the month: "LW"'],
    ['0 0 L-3 * *', 'has an invalid day of the month: "L-3"'],
    ['0 0 * * 5L', 'has an invalid day of the week: "5L"'],
    ['0 0 * * L', 'has an invalid day of the week: "L"'],
    ['0 0 * L *', 'has an invalid month: "L"'],
    ['0 0 * * +1', 'has an invalid day of the week: "+1"'],
    ['H H * * *', 'has an invalid minute: "H"'],
    ['/5 * * * *', 'has an invalid minute: "/5"'],
    ['1,,2 * * * *', 'has an invalid minute: ""'],
    ['1, * * * *', 'has an invalid minute: ""'],
    ['-1 * * * *', 'has an invalid minute: "-1"'],
    ['1.5 * * * *', 'has an invalid minute: "1.5"'],
    ['100 * * * *', 'has an invalid minute: "100"'],
    ['*/5/5 * * * *', 'has an invalid minute: "*/5/5"'],
    ['0\t0 * * *', 'must have five fields, or six with the seconds first'],
    ['0 0 * *\n*', 'must have five fields, or six with the seconds first'],
    ['@yearly', 'must be one of @hourly, @daily, @weekly, @monthly if it begins with @'],
    ['@reboot', 'must be one of @hourly, @daily, @weekly, @monthly if it begins with @'],
    ['@constructor', 'must be one of @hourly, @daily, @weekly, @monthly if it begins with @'],
    ['60 * * * *', 'is invalid: Invalid value for minute: 60'],
    ['0 24 * * *', 'is invalid: Invalid value for hour: 24'],
    ['0 0 0 * *', 'is invalid: Invalid value for day: -1'],
    ['0 0 * 13 *', 'is invalid: Invalid value for month: 12'],
    ['0 0 * * 8', 'is invalid: Invalid value for dayOfWeek: 8'],
    ['0 0 * foo *', expect.stringContaining('is invalid: ')],
    ['0 mon * * *', expect.stringContaining('is invalid: ')],
    ['0 22-3 * * *', expect.stringContaining('is invalid: From value is larger than to value')],
    ['0 0 * * fri-mon', expect.stringContaining('is invalid: From value is larger than to value')],
    ['*/0 * * * *', 'is invalid: illegal stepping: 0'],
    ['*/61 * * * *', expect.stringContaining('is invalid: steps cannot be greater')],
    [`0 0 ${'1,'.repeat(130)}1 * *`, 'must have at most 256 characters'],
    ['* * * * * *', 'must not run more often than every 5 seconds'],
    ['*/4 * * * * *', 'must not run more often than every 5 seconds'],
    ['0,4 0 0 1 1 *', 'must not run more often than every 5 seconds'],
    ['0,59 0 0 1 1 *', null],
    // Over the end of a minute, an hour and a day.
    ['*/7 * * * * *', 'must not run more often than every 5 seconds'],
    ['58,2 * * * * *', 'must not run more often than every 5 seconds'],
    ['58,2 3,4 * * * *', 'must not run more often than every 5 seconds'],
    ['58,2 3,5 * * * *', null],
    ['57,2 * * * * *', null],
    ['58,2 59,0 * * * *', 'must not run more often than every 5 seconds'],
    ['58,2 59,0 3 * * *', null],
    ['58,2 59,0 3,5 * * *', null],
    ['58,2 59,0 23,0 * * *', 'must not run more often than every 5 seconds'],
    ['58,2 59,0 23,0 1 * *', null],
    ['58,2 59,0 23,0 1,L * *', 'must not run more often than every 5 seconds'],
    ['58,2 59,0 23,0 * * 1,3', null],
    ['58,2 59,0 23,0 * * 6,0', 'must not run more often than every 5 seconds'],
    ['58,2 59,0 23,0 2 * 1', 'must not run more often than every 5 seconds'],
    ['58,2 59,0 23,0 28,1 2,3 *', 'must not run more often than every 5 seconds'],
    ['58,2 59,0 23,0 29,1 2,4 *', null],
    ['58,2 59,0 23,0 31,1 12,1 *', 'must not run more often than every 5 seconds'],
  ])('%s: its issue is %s', (expression, issue) => {
    expect(findCronIssue(expression)).toEqual(issue);
  });
});

/** Expressions with random fields, which are the same in every run. */
function randomExpressions(count: number): string[] {
  let state = 42;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const field = (first: number, last: number) => {
    const value = () => first + random(last - first + 1);
    const [a, b] = [value(), value()].sort((x, y) => x - y);
    return ['*', '*', `${a}`, `${a}-${b}`, `${a},${b}`, `*/${1 + random(7)}`, `${a}-${b}/${1 + random(3)}`][random(7)];
  };
  const dayOfMonth = () => (random(4) === 0 ? 'L' : field(1, 31));
  return Array.from({ length: count }, () =>
    [field(0, 59), field(0, 23), dayOfMonth(), field(1, 12), field(0, 6)].join(' '),
  );
}

/** Returns whether an expression has a time, by its fields alone. */
function matcherOf(expression: string): (ms: number) => boolean {
  const pattern = parsePattern(expression);
  const isEither = !pattern.starDOM && !pattern.starDOW;
  return (ms) => {
    const at = new Date(ms);
    const isLast = new Date(ms + DAY_MS).getUTCDate() === 1;
    const ofMonth = pattern.day[at.getUTCDate() - 1] === 1 || (pattern.lastDayOfMonth && isLast);
    const ofWeek = pattern.dayOfWeek[at.getUTCDay()] !== 0;
    const ofTime = [
      pattern.minute[at.getUTCMinutes()],
      pattern.hour[at.getUTCHours()],
      pattern.month[at.getUTCMonth()],
    ];
    return ofTime.every((isSet) => isSet === 1) && (isEither ? ofMonth || ofWeek : ofMonth && ofWeek);
  };
}

it.each(randomExpressions(150))('%s: both directions find the same times, and its fields have them', (expression) => {
  const cron = openCron(expression);
  const hasTime = matcherOf(expression);
  let at: number | null = from;
  for (let n = 0; n < 30 && at !== null; n++) {
    const next = cron.next(at);
    if (next === null) break;
    expect(hasTime(next)).toBe(true);
    if (n > 0) expect(cron.previous(next)).toBe(at);
    at = next;
  }
});

it.each(randomExpressions(40))('%s: no time of a day is left out', (expression) => {
  const cron = openCron(expression);
  const first = cron.next(from);
  if (first === null) return;
  const start = Math.floor(first / DAY_MS) * DAY_MS;
  const minutes = Array.from({ length: 24 * 60 }, (_, n) => start + n * 60_000);
  const found: number[] = [];
  for (let at = cron.next(start - 1); at !== null && at < start + DAY_MS; at = cron.next(at)) found.push(at);
  expect(found).toEqual(minutes.filter(matcherOf(expression)));
});
