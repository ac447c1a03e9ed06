import { expect, test } from 'vitest';
import { readData } from './use-filled-template.js';

test('the data must be a JSON object, and an empty text is an empty object', () => {
  expect(readData(' ')).toEqual({ data: {} });
  expect(readData('{"a": [1]}')).toEqual({ data: { a: [1] } });
  expect(readData('[1]').error).toContain('object');
  expect(readData('{"a": }').error).toBeTruthy();
});
