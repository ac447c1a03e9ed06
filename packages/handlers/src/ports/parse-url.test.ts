import { expect, test } from 'vitest';
import { parseUrl } from './parse-url.js';

test('parseUrl parses valid URLs, also against a base, and returns null for others', () => {
  expect(parseUrl('http://example.com')?.href).toBe('http://example.com/');
  expect(parseUrl('/b', 'http://example.com/a')?.href).toBe('http://example.com/b');
  expect(parseUrl('/b')).toBeNull();
  expect(parseUrl('http://300.1.1.1/')).toBeNull();
});

test('parseUrl accepts non-ASCII letters after many calls', () => {
  const texts = Array.from({ length: 50_000 }, () => 'http://bücher.example/größe');

  expect(new Set(texts.map((text) => parseUrl(text)?.href))).toEqual(
    new Set(['http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe']),
  );
});
