import { expect, test } from 'vitest';
import { createHideSecrets } from './hide-secrets.js';

const SECRET = 'Bearer a"b/c d+é~=';
const TOKEN = 'a"b/c d+é~=';

test.each([
  ['as it is', SECRET],
  ['without its scheme word', TOKEN],
  ['as bytes of a header', 'a"b/c d+\ufffd~='],
  ['in JSON', JSON.stringify(TOKEN).slice(1, -1)],
  ['in JSON of other writers', 'a\\"b\\/c d+é~='],
  ['in ASCII JSON', 'a\\"b/c d+\\u00e9~='],
  ['in a URL', encodeURIComponent(TOKEN)],
  ['in a URL in lower case', encodeURIComponent(TOKEN).toLowerCase()],
  ['in a form', 'a%22b%2Fc+d%2B%C3%A9%7E%3D'],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64url', Buffer.from(TOKEN, 'latin1').toString('base64url')],
])('a secret is hidden %s', (_form, shown) => {
  const { hide, longestBytes } = createHideSecrets([SECRET]);

  const hidden = hide(`you sent ${shown}.`);
  expect(hidden).toContain('***');
  expect(hidden.replaceAll('***', '').replace(/Bearer\s*|=+/g, '')).toBe('you sent .');
  expect(longestBytes).toBeGreaterThanOrEqual(Buffer.byteLength(shown));
});

test('the longest of several secrets is hidden first, and other texts stay', () => {
  const { hide } = createHideSecrets(['12345678', '1234567890', 'Key abc']);

  expect(hide('1234567890, 12345678, Key abc, abc')).toBe('***, ***, ***, abc');
  expect(createHideSecrets([])).toMatchObject({ longestBytes: 0 });
  expect(createHideSecrets([]).hide('a')).toBe('a');
});

test('a long secret is hidden in a text that resembles it, each time it occurs', () => {
  const secret = `${'a'.repeat(2_000)}b${'a'.repeat(2_000)}`;
  const { hide } = createHideSecrets([secret]);

  expect(hide(`x${secret}${secret}y`)).toBe('x******y');
  expect(hide(`${'a'.repeat(500)}${secret}${'a'.repeat(90_000)}`)).toBe(`${'a'.repeat(500)}***${'a'.repeat(90_000)}`);
  expect(hide(secret.slice(1))).toBe(secret.slice(1));
});
