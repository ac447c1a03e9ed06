import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from './noisy.js';
import { type Operation, percentile } from './victim.js';

const FILE = fileURLToPath(new URL('../../.jobline/noisy.md', import.meta.url));

const HEAD = [
  '| attack (repeated as fast as possible) | slowest response: read / submit / list / change / statistics | job starts, p99: without / under a limit | event arrives, p99 | memory: API / worker | responses to the attacker: number × status |',
  '|---|---|---|---|---|---|',
];

/** What the test compares with its bounds, in ms: the slowest response to each request, and p99s. */
export interface Times {
  worstMs: Record<Operation, number>;
  startMs: number;
  limitedStartMs: number;
  eventMs: number;
}

export function timesOf({ worstMs, startsMs, limitedStartsMs, eventsMs }: Report): Times {
  return { worstMs, startMs: p99(startsMs), limitedStartMs: p99(limitedStartsMs), eventMs: p99(eventsMs) };
}

/** Takes the median of each time. */
export function medianOf(measurements: readonly [Times, ...Times[]]): Times {
  const median = (of: (times: Times) => number) => {
    const sorted = measurements.map(of).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  // The cast: the keys are those of the record.
  const operations = Object.keys(measurements[0].worstMs) as Operation[];
  return {
    // The cast: each key has a value.
    worstMs: Object.fromEntries(
      operations.map((operation) => [operation, median(({ worstMs }) => worstMs[operation])]),
    ) as Times['worstMs'],
    startMs: median(({ startMs }) => startMs),
    limitedStartMs: median(({ limitedStartMs }) => limitedStartMs),
    eventMs: median(({ eventMs }) => eventMs),
  };
}

/** The largest of the slowest answers. */
export function worstAnswerMs({ worstMs }: Times): number {
  return Math.max(...Object.values(worstMs));
}

function p99(sorted: readonly number[]): number {
  return percentile(sorted, 0.99);
}

/** Returns a row of the table in docs/measurements/isolation.md. It names what the text above the table excludes. */
function asRow({ attack, lost, refused, died, memoryMiB, answered }: Report, times: Times): string {
  const { read, list, change, statistics } = times.worstMs;
  const submit = Math.max(times.worstMs.submit, times.worstMs.expire);
  const answers = Object.entries(answered).map(([status, count]) =>
    // A status with its own number, such as "400 unread".
    status.includes(' ') ? status : `${count.toLocaleString('en')} × ${status}`,
  );
  const faults = [...(lost > 0 ? [`${lost} lost`] : []), ...counted(refused), ...died.map((name) => `${name} died`)];
  const cells = [
    [attack, ...faults.map((fault) => `**${fault}**`)].join(', '),
    `${[read, submit, list, change, statistics].map(Math.round).join(' / ')} ms`,
    `${times.startMs} / ${times.limitedStartMs} ms`,
    `${times.eventMs} ms`,
    `${memoryMiB.api} / ${memoryMiB.worker} MiB`,
    answers.join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function counted(refused: readonly string[]): string[] {
  const numbers = new Map<string, number>();
  for (const what of refused) numbers.set(what, (numbers.get(what) ?? 0) + 1);
  return [...numbers].map(([what, count]) => `${count} × ${what}`);
}

/**
 * Prints a row for each measurement. `add` also writes it to a file, with the rows so far. A row of several measurements has their
 * median, and the memory and the responses of the last one.
 */
export function createTable(): { show(report: Report): void; add(report: Report, times: Times): void } {
  const rows: string[] = [];
  return {
    show: (report) => console.log(asRow(report, timesOf(report))),
    add(report, times) {
      rows.push(asRow(report, times));
      mkdirSync(dirname(FILE), { recursive: true });
      writeFileSync(FILE, [...HEAD, ...rows, ''].join('\n'));
    },
  };
}
