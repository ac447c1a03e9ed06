import { expect, test } from 'vitest';
import { type Run, withResults } from './results.js';
import type { Row } from './table.js';

const ROW: Row = {
  name: 'a fault',
  summary: {
    accepted: 2_000,
    rejected: 1,
    finished: 1_998,
    logs: 4,
    repeated: 3,
    recoveryMs: 1_260,
    findings: new Map([
      ['lost', 2],
      ['log gap', 4],
    ]),
    interruptions: new Map(),
    examples: [],
  },
};
const RUN: Run = { rows: [ROW], jobs: 2_000, isComplete: true, date: '2026-01-01', machine: '2 processors' };
const PAGE = '# Faults\n\n## Results\n\nNothing yet.\n\n## Limits\n\nText.\n';

test('a complete run writes its table into the section of the results', () => {
  const page = withResults(PAGE, RUN);

  expect(page).toContain('## Results\n\nMeasured on 2026-01-01 with 2,000 jobs for each fault, on 2 processors.\n\n');
  expect(page).toContain('\n| a fault | 2,000 | 1 | 1,998 | 4 | 2 | 0 | 3 | 0 | 4 | 1.3 |\n\n## Limits\n\nText.\n');
});

test('a run with at least as many jobs replaces the table, and a shorter or partial one does not', () => {
  const page = withResults(PAGE, RUN) ?? '';

  expect(withResults(page, { ...RUN, date: '2026-02-02' })).toBe(page.replace('2026-01-01', '2026-02-02'));
  expect(withResults(page, { ...RUN, jobs: 1_999 })).toBeNull();
  expect(withResults(page, { ...RUN, jobs: 5_000, isComplete: false })).toBeNull();
});
