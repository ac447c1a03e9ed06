import { RIGHTS, SCOPES } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { codeSpans, DOCS, tableRows } from './markdown.js';

test('the page about permissions lists every right once, with the roles that have it', () => {
  const expected = Object.entries(RIGHTS).map(([right, roles]) => `${right}: ${roles.join(', ')}`);
  const listed = tableRows(DOCS.permissions, 'right', 'roles', 'allows').flatMap(([rights = '', roles = '']) =>
    codeSpans(rights).map((right) => `${right}: ${roles}`),
  );

  expect(listed.sort()).toEqual(expected.sort());
});

test('the page about permissions lists every scope of an API key once', () => {
  const listed = tableRows(DOCS.permissions, 'scope', 'opens').flatMap(([scope = '']) => codeSpans(scope));

  expect(listed.sort()).toEqual([...SCOPES].sort());
});
