import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { measureGrowth } from '../growth/measure-growth.js';
import { growing, table, withTable } from '../growth/report.js';

/** The numbers of finished jobs. 10M needs 27 GB of disk and half an hour: GROWTH_SIZES=10k,100k,1M,10M. */
const SIZES = (process.env.GROWTH_SIZES ?? '10k,100k,1M').split(',').map(sizeOf);
/** With GROWTH_WRITE=1 the table is written to this document. */
const DOCUMENT = new URL('../../docs/measurements/growth.md', import.meta.url);
const TEST_LIMIT_MS = 3 * 3_600_000;

it(
  'an operation reads about as many pages with many finished jobs as with few',
  async () => {
    const rows = await measureGrowth(SIZES, say);

    const text = table(SIZES, rows);
    say(text);
    if (process.env.GROWTH_WRITE === '1') writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), text));
    expect(growing(rows)).toEqual([]);
  },
  TEST_LIMIT_MS,
);

/** Reads `10k` or `1M`. */
function sizeOf(text: string): number {
  const [, digits, unit = ''] = /^(\d+)(k|M|)$/.exec(text.trim()) ?? [];
  if (!digits) throw new Error(`GROWTH_SIZES contains "${text}": write sizes such as 10k,1M`);
  return Number(digits) * { '': 1, k: 1_000, M: 1_000_000 }[unit as '' | 'k' | 'M']; // the pattern has no other unit
}

/** The test runner hides the output of tests that pass, so this writes to the terminal itself. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
