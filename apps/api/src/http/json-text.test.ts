import { expect, test } from 'vitest';
import { jsonText, withText } from './json-text.js';

test('a body that many responses have is serialized once', () => {
  let times = 0;
  const body = withText({ toJSON: () => ++times });

  expect([jsonText(body), jsonText(body)]).toEqual(['1', '1']);
  expect(jsonText({ a: 1 })).toBe('{"a":1}');
});
