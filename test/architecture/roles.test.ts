import { endpoints } from '@jobline/api/endpoints';
import { ROLES, rolesWith } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { codeSpans, readDocument, tables } from './markdown.js';

/** README.md prints the role matrix: who is allowed | the endpoints, each in backticks. */
const README = 'README.md';
const COLUMNS = ['allowed', 'endpoints'];

test('README.md lists every endpoint once, under those who are allowed to call it', () => {
  const expected = Object.values(endpoints).map(
    ({ method, path, auth, right }) =>
      `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}: ${allowed(auth, right)}`,
  );

  expect(listed()).toEqual(expected.sort());
});

type Endpoint = (typeof endpoints)[string];

function allowed(auth: Endpoint['auth'], right: Endpoint['right']): string {
  if (!right) return auth === 'none' ? 'anybody' : auth;
  const roles = ROLES.filter((role) => rolesWith(right).includes(role));
  return [...roles, ...(auth === 'bearer-or-key' ? ['API key'] : [])].join(', ');
}

/** `METHOD path: who`, of each endpoint of the table. */
function listed(): string[] {
  const found = tables(readDocument(README)).find(([header]) => COLUMNS.every((column, i) => header?.[i] === column));
  if (!found) throw new Error(`${README} has no table whose columns are | ${COLUMNS.join(' | ')} |`);
  return found
    .slice(1)
    .flatMap(([who = '', names = '']) => codeSpans(names).map((name) => `${name}: ${who}`))
    .sort();
}
