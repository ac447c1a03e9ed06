import { expect, test } from 'vitest';
import { allowHostIssue, createAllowList } from './allow-list.js';

test('an entry without a port allows every port of exactly that host', () => {
  const list = createAllowList(['LocalHost', '10.0.0.5']);

  expect(list.has('localhost', 80)).toBe(true);
  expect(list.has('localhost', 8080)).toBe(true);
  expect(list.has('10.0.0.5', 443)).toBe(true);
  expect(list.has('localhost.', 80)).toBe(false);
  expect(list.has('sub.localhost', 80)).toBe(false);
  expect(list.has('10.0.0.50', 80)).toBe(false);
});

test('an entry with a port allows only that port', () => {
  const list = createAllowList(['localhost:8080']);

  expect(list.has('localhost', 8080)).toBe(true);
  expect(list.has('localhost', 80)).toBe(false);
});

test.each(['::1', '[::1]', '0:0:0:0:0:0:0:1', '[::1]:443', '[0:0::1]:443'])('%s opens the IPv6 host ::1', (entry) => {
  expect(createAllowList([entry]).has('::1', 443)).toBe(true);
});

test('an unusual spelling allows the address that it means', () => {
  expect(createAllowList(['0x7f.1:80']).has('127.0.0.1', 80)).toBe(true);
});

test.each([
  '',
  '*',
  '*.example.com',
  'http://localhost',
  'localhost/path',
  'user@localhost',
  'a b',
  'localhost:0',
  'localhost:70000',
  'localhost:http',
  '[::1',
  '256.1.1.1',
])('the entry "%s" is invalid', (entry) => {
  expect(allowHostIssue(entry)).toContain('is not a host or host:port');
});

test('every invalid entry is named in the error', () => {
  expect(() => createAllowList(['localhost', '*', 'a b'])).toThrow('"*" is not a host or host:port; "a b" is not');
});
