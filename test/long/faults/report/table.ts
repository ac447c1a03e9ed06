import type { Summary } from '../history/check-history.js';
import type { FindingKind } from '../history/check-job.js';

/** The result of a fault. */
export interface Row {
  name: string;
  summary: Summary;
}

const COLUMNS: readonly [string, (summary: Summary) => number][] = [
  ['accepted', ({ accepted }) => accepted],
  ['rejected', ({ rejected }) => rejected],
  ['finished', ({ finished }) => finished],
  ['logs read', ({ logs }) => logs],
  ['lost', (summary) => count(summary, 'lost')],
  ['stuck', (summary) => count(summary, 'stuck')],
  ['run more than once', ({ repeated }) => repeated],
  ['without an interruption', (summary) => count(summary, 'run again without reason', 'same attempt run twice')],
  ['log gaps', (summary) => count(summary, 'log gap', 'call without attempt')],
];

/** As Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const head = ['fault', ...COLUMNS.map(([name]) => name), 'seconds to recover'];
  const lines = [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows.map(cellsOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf({ name, summary }: Row): string[] {
  const counts = COLUMNS.map(([, read]) => read(summary).toLocaleString('en-US'));
  return [name, ...counts, (summary.recoveryMs / 1_000).toFixed(1)];
}

function count({ findings }: Summary, ...kinds: FindingKind[]): number {
  return kinds.reduce((sum, kind) => sum + (findings.get(kind) ?? 0), 0);
}
