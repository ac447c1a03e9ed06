import type { Cost, Operation } from './measure.js';

/** The costs of an operation, for each size. */
export interface Row {
  operation: Operation<never>;
  costs: Cost[];
}

/** The largest allowed ratio of the pages of the last size to those of the first one. */
export const MAX_RATIO = 1.3;

/** The operations that read too many pages more for the last size than for the first one, or that take too long. */
export function growing(rows: readonly Row[]): string[] {
  return rows.flatMap(({ operation: { what, allowance, isUnlimited, maxMs = Number.POSITIVE_INFINITY }, costs }) => {
    const [first, last] = [costs[0]?.pages ?? 0, costs.at(-1)?.pages ?? 0];
    const isFlat = isUnlimited || last <= Math.max(MAX_RATIO * first, first + allowance);
    const isFast = costs.every(({ sqlMs }) => sqlMs <= maxMs);
    return [
      ...(isFlat ? [] : [`${what}: ${costs.map(({ pages }) => pages).join(', ')} pages`]),
      ...(isFast ? [] : [`${what}: ${costs.map(({ sqlMs }) => sqlMs.toFixed(0)).join(', ')} ms of at most ${maxMs}`]),
    ];
  });
}

/** A Markdown table: pages and milliseconds of SQL. */
export function table(sizes: readonly number[], rows: readonly Row[]): string {
  const head = ['operation', ...sizes.map((size) => `${size.toLocaleString('en')} jobs`), 'ratio of pages'];
  return [head, head.map((_, n) => (n === 0 ? '---' : '---:')), ...rows.map(cellsOf)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function cellsOf({ operation, costs }: Row): string[] {
  const [first, last] = [costs[0]?.pages ?? 0, costs.at(-1)?.pages ?? 0];
  const cells = costs.map(
    ({ pages, sqlMs }) => `${pages.toLocaleString('en')} (${sqlMs.toFixed(sqlMs < 10 ? 2 : 0)} ms)`,
  );
  return [operation.what, ...cells, (last / first).toFixed(2)];
}

const BEGIN = '<!-- The test writes this table. -->\n';
const END = '\n<!-- End of the table. -->';

/** A document with a new table between its marks. */
export function withTable(document: string, text: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('the document has no place for the table');
  return document.slice(0, begin + BEGIN.length) + text + document.slice(end);
}
