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

test('the API page lists exactly the error codes of the API, each with its status and its cases', () => {
  const expected = Object.entries(ERROR_CODES).map(([code, { status, when }]) => `${code} ${status} ${sentence(when)}`);

  expect(listed(DOCS.api, 'status')).toEqual(expected.sort());
});

test('the page about jobs lists exactly the error codes of jobs, each with whether it is retried and its cases', () => {
  const expected = Object.entries(JOB_ERROR_CODES).map(
    ([code, { retried, when }]) => `${code} ${retried ? 'yes' : 'no'} ${sentence(when)}`,
  );

  expect(listed(DOCS.jobs, 'retried')).toEqual(expected.sort());
});

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

/** A code is used as a string literal, or in quotes in an SQL statement. */
function isUsed(code: string): boolean {
  return texts.some((text) => text === code || text.includes(`'${code}'`));
}

/** Every code of the page's table, with the cells of the other columns, without their links. */
function listed(page: string, secondColumn: string): string[] {
  const rows = tableRows(page, 'code', secondColumn, 'when');
  return rows.map(([code = '', second, when = '']) => `${codeSpans(code)[0]} ${second} ${withoutLinks(when)}`).sort();
}

function sentence(when: string): string {
  return when.charAt(0).toUpperCase() + when.slice(1);
}

function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
