import { expect, test } from 'vitest';
import { chart } from './chart.js';
import { growing, table } from './report.js';
import type { Sample } from './sample.js';

const FIRST: Sample = {
  minutes: 0,
  finished: 0,
  apiMiB: 200,
  workerMiB: 180,
  apiFiles: 60,
  workerFiles: 50,
  connections: 40,
  redisMiB: 4,
  liveMiB: 2,
  kibPerJob: 2,
};
/** Ten samples, of which the n-th has these changes. */
const samples = (change: (n: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 10 }, (_, n) => ({ ...FIRST, minutes: n, finished: 1_000 * n, ...change(n) }));

test('a measure that varies does not grow, and one that is a third larger in the second half does', () => {
  expect(growing(samples((n) => ({ apiMiB: 200 + 20 * (n % 2), kibPerJob: 2 + 1 / (n + 1) })))).toEqual([]);
  expect(growing(samples((n) => ({ workerMiB: 180 + 15 * n })))).toEqual(['worker, MiB: 240.0, then 315.0']);
  expect(growing(samples((n) => ({ liveMiB: n < 5 ? 2 : 10 })))).toEqual([
    'live jobs in Postgres, MiB: 2.0, then 10.0',
  ]);
});

test('the table has at most the given number of rows and the last sample', () => {
  const lines = table(
    samples(() => ({})),
    4,
  ).split('\n');

  expect(lines.slice(2).map((line) => line.slice(0, 11))).toEqual([
    '| 2 | 2,000',
    '| 5 | 5,000',
    '| 8 | 8,000',
    '| 9 | 9,000',
  ]);
});

test('the plot has a line for each measure', () => {
  const svg = chart(
    samples((n) => ({ connections: 40 + n })),
    '9,000 jobs',
  );

  expect(svg.match(/<polyline/g)).toHaveLength(8);
  expect(svg).toContain('aria-label="9,000 jobs"');
  expect(svg).not.toContain('NaN');
});
