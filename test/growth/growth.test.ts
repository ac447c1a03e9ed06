import { expect, test } from 'vitest';
import { measureGrowth } from './measure-growth.js';
import { growing } from './report.js';

// The short form of test/long/growth.test.ts, which measures up to ten million jobs.
test('an operation reads about as many pages with 50,000 finished jobs as with 10,000', async () => {
  const rows = await measureGrowth([10_000, 50_000], () => undefined);

  expect(rows.length).toBeGreaterThan(10);
  expect(rows.flatMap(({ costs }) => costs.map(({ pages }) => pages)).filter((pages) => !(pages > 0))).toEqual([]);
  expect(growing(rows)).toEqual([]);
});

test('an operation that reads every job grows', () => {
  const cost = (pages: number) => ({ pages, sqlMs: 1 });
  const operation = { what: 'list', allowance: 10, run: async () => undefined };

  expect(growing([{ operation, costs: [cost(100), cost(130)] }])).toEqual([]);
  expect(growing([{ operation, costs: [cost(10), cost(20)] }])).toEqual([]);
  expect(growing([{ operation, costs: [cost(100), cost(500)] }])).toEqual(['list: 100, 500 pages']);
});
