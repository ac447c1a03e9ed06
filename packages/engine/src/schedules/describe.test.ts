import { expect, it } from 'vitest';
import { findCronIssue } from './cron.js';
import { previewTiming } from './describe.js';

const from = new Date('2026-11-25T12:34:56.789Z');

async function sentenceOf(cron: string, timezone = 'UTC'): Promise<string> {
  expect(findCronIssue(cron)).toBeNull();
  return (await previewTiming({ cron, timezone, everySeconds: null }, from, 1)).description;
}

it.each([
  ['* * * * *', 'Every minute (UTC)'],
  ['*/5 * * * * *', 'Every 5 seconds (UTC)'],
  ['0 9 * * MON-FRI', 'At 09:00, Monday through Friday (UTC)'],
  ['15 0 9 * * 7', 'At 09:00:15, only on Sunday (UTC)'],
  ['0 9 * * 5-7', 'At 09:00, Friday through Sunday (UTC)'],
  ['@weekly', 'At 00:00, only on Sunday (UTC)'],
  ['0 */6 * * *', 'On the hour, every 6 hours (UTC)'],
  ['*/5 9-17 * * *', 'Every 5 minutes, between 09:00 and 17:59 (UTC)'],
  ['0 0 l,15 * *', 'At 00:00, on day 15 and the last day of the month (UTC)'],
  ['0 0 1 1-3 *', 'At 00:00, on day 1 of the month, January through March (UTC)'],
  // A step that is shorter at the end of the period is no "every".
  ['*/45 * * * *', 'At 0 and 45 minutes past the hour (UTC)'],
  ['0 */23 * * *', 'At 00:00 and 23:00 (UTC)'],
  ['0 0 */10 * *', 'At 00:00, on day 1, 11, 21, and 31 of the month (UTC)'],
  ['0 0 * * */3', 'At 00:00, only on Wednesday, Saturday, and Sunday (UTC)'],
  ['0 0 1 */5 *', 'At 00:00, on day 1 of the month, only in January, June, and November (UTC)'],
  // A step within single hours or minutes is not one across them.
  ['*/30 3,9 * * *', 'At 0 and 30 minutes past the hour, at 03:00 and 09:00 (UTC)'],
  ['* 3,9 * * *', 'Minutes 0 through 59 past the hour, at 03:00 and 09:00 (UTC)'],
  ['0,30 */2 3 * * *', 'At 0 and 30 seconds past the minute, every 2 minutes, between 03:00 and 03:59 (UTC)'],
  // Either of two restricted day fields.
  ['0 0 13 * 5', 'At 00:00, on day 13 of the month, and also on Friday (UTC)'],
  ['0 0 L * 1-3', 'At 00:00, on the last day of the month, and also on Monday, Tuesday, and Wednesday (UTC)'],
  ['0 0 30 2 *', 'At 00:00, on day 30 of the month, only in February (UTC): this never comes'],
])('%s means: %s', async (cron, sentence) => {
  expect(await sentenceOf(cron)).toBe(sentence);
});

it('a sentence names the time zone', async () => {
  expect(await sentenceOf('30 2 * * *', 'Europe/Berlin')).toBe('At 02:30 (Europe/Berlin)');
});

it.each([
  [5, 'Every 5 seconds'],
  [60, 'Every minute'],
  [90, 'Every 90 seconds'],
  [5_400, 'Every 90 minutes'],
  [3_600, 'Every hour'],
  [86_400, 'Every 24 hours'],
  [31_536_000, 'Every 8,760 hours'],
])('every %s seconds means: %s', async (everySeconds, sentence) => {
  const preview = await previewTiming({ cron: null, timezone: 'Europe/Berlin', everySeconds }, from, 2);
  expect(preview.description).toBe(sentence);
  expect(preview.times).toEqual([1, 2].map((n) => new Date(from.getTime() + n * everySeconds * 1_000)));
});
