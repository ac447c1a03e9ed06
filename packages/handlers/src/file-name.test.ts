import { expect, test } from 'vitest';
import { isFileName, toFileName } from './file-name.js';

test.each([
  ['my letter', 'my letter.pdf'],
  ['a/b\\c\td', 'a-b-c-d.pdf'],
  ['..', '...pdf'],
  ['明細書', '明細書.pdf'],
  ['x'.repeat(200), `${'x'.repeat(196)}.pdf`],
  [`${'x'.repeat(195)}😀`, `${'x'.repeat(195)}\ufffd.pdf`],
])('the name %j becomes the name of a file, %j', (name, expected) => {
  expect(toFileName(name, 'pdf')).toBe(expected);
  expect(isFileName(expected)).toBe(true);
});
