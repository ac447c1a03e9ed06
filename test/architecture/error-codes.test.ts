import { ERROR_CODES, JOB_ERROR_CODES } from '@jobline/contracts';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { codeSpans, DOCS, tableRows } from './markdown.js';
import { isTest, pickNodes, workspaces } from './sources.js';

const texts = workspaces()
  .filter(({ dir }) => dir !== 'packages/contracts')
  .flatMap(({ sources }) => sources.filter(({ path }) => !isTest(path)))
  .flatMap((source) =>
    pickNodes(source, (node) => (ts.isStringLiteralLike(node) || isTemplatePart(node) ? node.text : undefined)),
  );

// A documented code that the code never uses would be a false promise to callers.
describe('every error code of contracts is used in the code', () => {
  test.each(Object.keys(ERROR_CODES))('the API uses the error code %s', (code) => {
    expect(isUsed(code)).toBe(true);
  });

  test.each(Object.keys(JOB_ERROR_CODES))('a job can fail with the error code %s', (code) => {
    expect(isUsed(code)).toBe(true);
  });
});

test('the API page lists exactly the error codes of the API, each with its status', () => {
  const expected = Object.entries(ERROR_CODES).map(([code, { status }]) => `${code} ${status}`);

  expect(listed(DOCS.api, 'status')).toEqual(expected.sort());
});

test('the page about jobs lists exactly the error codes of jobs, each with whether it is retried', () => {
  const expected = Object.entries(JOB_ERROR_CODES).map(([code, { retried }]) => `${code} ${retried ? 'yes' : 'no'}`);

  expect(listed(DOCS.jobs, 'retried')).toEqual(expected.sort());
});

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

/** A code is used as a string literal, or in quotes in an SQL statement. */
function isUsed(code: string): boolean {
  return texts.some((text) => text === code || text.includes(`'${code}'`));
}

/** Every code of the page's table, with the cell of the second column. A cell may have several codes in backticks. */
function listed(page: string, secondColumn: string): string[] {
  const rows = tableRows(page, 'code', secondColumn);
  return rows.flatMap(([codes = '', second]) => codeSpans(codes).map((code) => `${code} ${second}`)).sort();
}
