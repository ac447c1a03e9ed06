import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from './noisy.js';

const FILE = fileURLToPath(new URL('../../.jobline/noisy.md', import.meta.url));

const HEAD = [
  '| attack | worst answer | pickup p99 | lost | died | API | worker | what the attacker was answered |',
  '|---|---|---|---|---|---|---|---|',
];

/** Returns a row of the table in the docs. */
export function asRow({ attack, worstAnswerMs, pickupP99Ms, lost, died, memoryMiB, answered }: Report): string {
  const answers = Object.entries(answered).map(([status, count]) => `${count} × ${status}`);
  const cells = [
    attack,
    `${worstAnswerMs} ms`,
    `${pickupP99Ms} ms`,
    lost,
    died.length === 0 ? 0 : died.join(', '),
    `${memoryMiB.api} MiB`,
    `${memoryMiB.worker} MiB`,
    answers.join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Writes the table to a file for people, and returns it. */
export function keepReport(rows: readonly string[]): string {
  const table = [...HEAD, ...rows, ''].join('\n');
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, table);
  return table;
}
