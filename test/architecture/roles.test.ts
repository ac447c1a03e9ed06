import { endpoints } from '@jobline/api/endpoints';
import { ROLES, rolesWith } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { codeSpans, DOCS, tableRows } from './markdown.js';

test('the role matrix lists every endpoint once, with those who may call it', () => {
  const expected = Object.values(endpoints).map(
    (endpoint) => `${nameOf(endpoint)}: ${allowed(endpoint.auth, endpoint.right)}`,
  );
  const listed = tableRows(DOCS.permissions, 'allowed', 'endpoints').flatMap(([who = '', names = '']) =>
    codeSpans(names).map((name) => `${name}: ${who}`),
  );

  expect(listed.sort()).toEqual(expected.sort());
});

test('the API page lists every endpoint once', () => {
  const listed = tableRows(DOCS.api, 'endpoint', 'purpose and response').flatMap(([name = '']) => codeSpans(name));

  expect(listed.sort()).toEqual(Object.values(endpoints).map(nameOf).sort());
});

type Endpoint = (typeof endpoints)[string];

function allowed(auth: Endpoint['auth'], right: Endpoint['right']): string {
  if (!right) return auth === 'none' ? 'anybody' : auth;
  const roles = ROLES.filter((role) => rolesWith(right).includes(role));
  return [...roles, ...(auth === 'none' || auth === 'bearer' ? [] : ['API key'])].join(', ');
}

/** `GET /jobs/{id}`, as the documents write it. */
function nameOf({ method, path }: Endpoint): string {
  return `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;
}
