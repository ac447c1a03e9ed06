import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from './noisy.js';
import { percentile } from './victim.js';

const FILE = fileURLToPath(new URL('../../.jobline/noisy.md', import.meta.url));

const HEAD = [
  '| attack (repeated as fast as possible) | slowest response: read / submit / list / change / statistics | job starts, p99: without / under a limit | event arrives, p99 | memory: API / worker | responses to the attacker: number × status |',
  '|---|---|---|---|---|---|',
];

/** The largest of the slowest answers. */
export function worstAnswerMs({ worstMs }: Report): number {
  return Math.max(...Object.values(worstMs));
}

export function p99(sorted: readonly number[]): number {
  return percentile(sorted, 0.99);
}

/** Returns a row of the table in docs/isolation.md. It names what the text above the table excludes. */
export function asRow(report: Report): string {
  const { worstMs, lost, refused, died, memoryMiB, answered } = report;
  const { read, list, change, statistics } = worstMs;
  const submit = Math.max(worstMs.submit, worstMs.expire);
  const answers = Object.entries(answered).map(([status, count]) =>
    // A status with its own number, such as "400 unread".
    status.includes(' ') ? status : `${count.toLocaleString('en')} × ${status}`,
  );
  const faults = [...(lost > 0 ? [`${lost} lost`] : []), ...counted(refused), ...died.map((name) => `${name} died`)];
  const cells = [
    [report.attack, ...faults.map((fault) => `**${fault}**`)].join(', '),
    `${[read, submit, list, change, statistics].map(Math.round).join(' / ')} ms`,
    `${p99(report.startsMs)} / ${p99(report.limitedStartsMs)} ms`,
    `${p99(report.eventsMs)} ms`,
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

/** Prints a row when its attack is over, and writes the table so far to a file. */
export function createTable(): { add(report: Report): void; print(): void } {
  const rows: string[] = [];
  const table = () => [...HEAD, ...rows, ''].join('\n');
  return {
    add(report) {
      rows.push(asRow(report));
      console.log(rows.at(-1));
      mkdirSync(dirname(FILE), { recursive: true });
      writeFileSync(FILE, table());
    },
    print: () => console.log(table()),
  };
}
