import { ERROR_CODES, JOB_ERROR_CODES } from '@jobline/contracts';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { codeSpans, readDocument, tables } from './markdown.js';
import { isTest, pickNodes, workspaces } from './sources.js';

/**
 * README.md has two tables of codes, known by the names of their first columns: `code | status` for the API and
 * `code | retried` (yes or no) for jobs. A cell may hold several codes, each in backticks.
 */
const README = 'README.md';

const texts = workspaces()
  .filter(({ dir }) => dir !== 'packages/contracts')
  .flatMap(({ sources }) => sources.filter(({ path }) => !isTest(path)))
  .flatMap((source) =>
    pickNodes(source, (node) => (ts.isStringLiteralLike(node) || isTemplatePart(node) ? node.text : undefined)),
  );

// A code that nobody gives is a promise to callers that nobody keeps.
describe('every code of contracts is given somewhere', () => {
  test.each(Object.keys(ERROR_CODES))('%s, by the API', (code) => {
    expect(isGiven(code)).toBe(true);
  });

  test.each(Object.keys(JOB_ERROR_CODES))('%s, for a job', (code) => {
    expect(isGiven(code)).toBe(true);
  });
});

describe('README.md lists exactly the codes of contracts', () => {
  test('of the API, each with its status', () => {
    const expected = Object.entries(ERROR_CODES).map(([code, { status }]) => `${code} ${status}`);

    expect(listed('code', 'status')).toEqual(expected.sort());
  });

  test('of jobs, each with whether it is retried', () => {
    const expected = Object.entries(JOB_ERROR_CODES).map(([code, { retried }]) => `${code} ${retried ? 'yes' : 'no'}`);

    expect(listed('code', 'retried')).toEqual(expected.sort());
  });
});

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

/** As a string of its own, or quoted in a statement of SQL. */
function isGiven(code: string): boolean {
  return texts.some((text) => text === code || text.includes(`'${code}'`));
}

/** Of the README's table that starts with these columns: every code with the second column's cell. */
function listed(...columns: [string, string]): string[] {
  const found = tables(readDocument(README)).find(([header]) => columns.every((column, i) => header?.[i] === column));
  if (!found) throw new Error(`${README} has no table whose columns begin with | ${columns.join(' | ')} |`);
  const rows = found.slice(1);
  return rows.flatMap(([codes = '', second]) => codeSpans(codes).map((code) => `${code} ${second}`)).sort();
}
