import type { Outcome } from './trial.js';

/** The result of a fault. */
export interface Row {
  name: string;
  outcome: Outcome;
}

const HEAD = [
  'fault',
  'accepted',
  'rejected',
  'finished',
  'lost',
  'stuck',
  'run more than once',
  'log gaps',
  'seconds to recover',
];

/** As Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [HEAD, HEAD.map((_, i) => (i === 0 ? '---' : '---:')), ...rows.map(cellsOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf({ name, outcome }: Row): string[] {
  const { accepted, rejected, finished, repeated, findings, recoveryMs } = outcome;
  const counts = [
    accepted,
    rejected,
    finished,
    findings.get('lost'),
    findings.get('stuck'),
    repeated,
    findings.get('log gap'),
  ];
  return [name, ...counts.map((count) => (count ?? 0).toLocaleString('en-US')), (recoveryMs / 1_000).toFixed(1)];
}
