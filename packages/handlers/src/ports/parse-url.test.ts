import { expect, test } from 'vitest';
import { parseUrl } from './parse-url.js';

test('a text is parsed, perhaps against a base, or is no URL', () => {
  expect(parseUrl('http://example.com')?.href).toBe('http://example.com/');
  expect(parseUrl('/b', 'http://example.com/a')?.href).toBe('http://example.com/b');
  expect(parseUrl('/b')).toBeNull();
  expect(parseUrl('http://300.1.1.1/')).toBeNull();
});

test('letters beyond ASCII are taken the thousandth time as the first', () => {
  const texts = Array.from({ length: 50_000 }, () => 'http://bücher.example/größe');

  expect(new Set(texts.map((text) => parseUrl(text)?.href))).toEqual(
    new Set(['http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe']),
  );
});
