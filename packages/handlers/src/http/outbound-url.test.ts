import { expect, test } from 'vitest';
import { MAX_OUTBOUND_URL_LENGTH, outboundUrlIssue, parseUrl } from './outbound-url.js';

// Whether an address may be called is checked when it is called, because the name can change its address until then.
test.each([
  'http://example.com',
  'HTTPS://Example.com:8443/a?b=c#d',
  'http://127.0.0.1/',
  'http://[::1]:80/',
  'http://bücher.example/',
  'https://example.com:80/',
  'http://example.com:9200/',
])('%s is a valid outbound URL', (url) => {
  expect(outboundUrlIssue(url)).toBeNull();
});

test.each([
  ['ftp://example.com/', 'must start with http:// or https://'],
  ['file:///etc/passwd', 'must start with http:// or https://'],
  ['javascript:alert(1)', 'must start with http:// or https://'],
  ['gopher://127.0.0.1:6379/_FLUSHALL', 'must start with http:// or https://'],
  ['http://me@example.com/', 'must not contain a user name or password'],
  ['http://me:pw@example.com/', 'must not contain a user name or password'],
  ['http://:pw@example.com/', 'must not contain a user name or password'],
  ['http://example.com:25/', 'must not use the port 25, which is reserved for another protocol'],
  ['https://example.com:6379/', 'must not use the port 6379, which is reserved for another protocol'],
  ['http://example.com:0/', 'must not use the port 0, which is reserved for another protocol'],
  ['example.com/path', 'must be a complete URL, such as https://example.com/path'],
  ['//example.com/path', 'must be a complete URL, such as https://example.com/path'],
  ['http://', 'must be a complete URL, such as https://example.com/path'],
  ['http://300.1.1.1/', 'must be a complete URL, such as https://example.com/path'],
  ['', 'must be a complete URL, such as https://example.com/path'],
])('the outbound URL %j is invalid: it %s', (url, issue) => {
  expect(outboundUrlIssue(url)).toBe(issue);
});

test('an outbound URL has at most 2048 characters', () => {
  const url = 'https://example.com/'.padEnd(MAX_OUTBOUND_URL_LENGTH, 'a');

  expect(outboundUrlIssue(url)).toBeNull();
  expect(outboundUrlIssue(`${url}a`)).toBe('must be at most 2048 characters long');
});

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
