import type { CronPattern } from 'croner';
import { parsePattern, setIn } from './cron.js';
import { plannedTimes, type Timing } from './timing.js';

/** The next times of a timing, and the timing as a plain sentence. */
export interface Preview {
  times: Date[];
  description: string;
}

/** The times after `from`, at most `count`. A period counts from `from`. */
export async function previewTiming(timing: Omit<Timing, 'anchorAt'>, from: Date, count: number): Promise<Preview> {
  const planned = plannedTimes({ ...timing, anchorAt: from });
  const times: Date[] = [];
  for (let at = planned.next(from.getTime()); at !== null && times.length < count; at = planned.next(at)) {
    times.push(new Date(at));
  }
  const description = await describeTiming(timing);
  return { times, description: times.length > 0 ? description : `${description}: this never comes` };
}

/** A list of schedules needs as many. Each has some hundred bytes. */
const MAX_REMEMBERED = 2_000;
const remembered = new Map<string, string>();

/** A timing as a plain sentence. */
export async function describeTiming({ cron, everySeconds, timezone }: Omit<Timing, 'anchorAt'>): Promise<string> {
  if (everySeconds !== null) return describePeriod(everySeconds);
  if (cron === null) throw new Error('a schedule without a timing');
  const sentence = remembered.get(cron) ?? (await describeCron(parsePattern(cron)));
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(cron, sentence);
  return `${sentence} (${timezone})`;
}

function describePeriod(seconds: number): string {
  const [count, unit] =
    seconds % 3_600 === 0
      ? [seconds / 3_600, 'hour']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second'];
  return count === 1 ? `Every ${unit}` : `Every ${count.toLocaleString('en-US')} ${unit}s`;
}

/**
 * The library describes the text and not the times: it says "every 45 minutes" for a step of 45, which runs at 0 and 45. So
 * it gets a text with the same times for which its words are right.
 */
async function describeCron(pattern: CronPattern): Promise<string> {
  // Loaded at first use: few processes need it.
  const { default: cronstrue } = await import('cronstrue');
  const fields = [...timeFields(pattern), ...dateFields(pattern)];
  const text = cronstrue.toString(fields.join(' '), { use24HourTimeFormat: true });
  // If both day fields are restricted, either of them suffices.
  return text.replace(', and on ', ', and also on ');
}

/** A step is right only within hours that follow each other. */
function timeFields({ second, minute, hour }: CronPattern): string[] {
  const [seconds, minutes, hours] = [setIn(second), setIn(minute), setIn(hour)];
  const hourField = stepOrList(hours, 24, minutes.length > 1 ? 2 : 3);
  const isSpan = hourField === '*' || !/[,/]/.test(hourField);
  const minuteField = isSpan ? stepOrList(minutes, 60) : rangesOf(minutes);
  return [isSpan && minuteField === '*' ? stepOrList(seconds, 60) : rangesOf(seconds), minuteField, hourField];
}

function dateFields({ day, month, dayOfWeek, lastDayOfMonth, starDOM, starDOW }: CronPattern): string[] {
  const days = rangesOf(setIn(day).map((value) => value + 1));
  const months = setIn(month).map((value) => value + 1);
  // From Monday to Sunday.
  const weekdays = setIn(dayOfWeek.slice(0, 7))
    .map((value) => (value === 0 ? 7 : value))
    .sort((a, b) => a - b);
  return [
    starDOM ? '*' : [days, ...(lastDayOfMonth ? ['L'] : [])].filter((part) => part !== '').join(),
    months.length === 12 ? '*' : rangesOf(months),
    // The words for a range of weekdays would restrict the other days.
    starDOW ? '*' : starDOM ? rangesOf(weekdays) : weekdays.join(),
  ];
}

/** A step only if it is the same across the end of the period, which begins with 0. */
function stepOrList(values: readonly number[], size: number, shortestRange?: number): string {
  if (values.length === size) return '*';
  const step = size / values.length;
  const isStep = values.length > 1 && values.every((value, n) => value === n * step);
  return isStep ? `*/${step}` : rangesOf(values, shortestRange);
}

/** One range if the values follow each other, else the values. */
function rangesOf(values: readonly number[], shortestRange = 3): string {
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  const isRange = values.length >= shortestRange && last - first === values.length - 1;
  return isRange ? `${first}-${last}` : values.join();
}
