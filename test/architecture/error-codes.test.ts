import { endpoints } from '@jobline/api/endpoints';
import { createDocument } from '@jobline/api/openapi';
import { ERROR_CODES, JOB_ERROR_CODES } from '@jobline/contracts';
import { createCatalogue } from '@jobline/handlers';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { codeSpans, DOCS, tableRows, tables } from './markdown.js';
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

test('the API document lists exactly the error codes of the API, each with its status and its cases', () => {
  const { info } = createDocument(endpoints, { catalogue: createCatalogue(), publicUrl: 'http://localhost:3000' });
  const expected = Object.entries(ERROR_CODES).map(([code, { status, when }]) => [`\`${code}\``, `${status}`, when]);

  expect(tables(info.description)).toEqual([[['code', 'status', 'when'], ...expected]]);
});

test('the page about jobs lists exactly the error codes of jobs, each with whether it is retried and its cases', () => {
  const expected = Object.entries(JOB_ERROR_CODES).map(
    ([code, { retried, when }]) => `${code} ${retried ? 'yes' : 'no'} ${sentence(when)}`,
  );
  const listed = tableRows(DOCS.jobs, 'code', 'retried', 'when').map(
    ([code = '', retried, when = '']) => `${codeSpans(code)[0]} ${retried} ${withoutLinks(when)}`,
  );

  expect(listed.sort()).toEqual(expected.sort());
});

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

/** A code is used as a string literal, or in quotes in an SQL statement. */
function isUsed(code: string): boolean {
  return texts.some((text) => text === code || text.includes(`'${code}'`));
}

function sentence(when: string): string {
  return when.charAt(0).toUpperCase() + when.slice(1);
}

function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
