import { expect, test } from 'vitest';
import { safeRedirect } from './use-session.js';

const OURS = 'https://jobs.example';

test.each(['/', '/job/1?tab=log#end', '/email?compose=1', '/%2F%2Fevil.com'])('sign-in redirects to %s', (next) => {
  expect(safeRedirect(next, OURS)).toBe(next);
});

test.each([
  undefined,
  '',
  'email',
  'https://evil.com',
  'javascript:alert(1)',
  '//evil.com',
  '/\\evil.com',
  '/\t/evil.com',
  '/.//evil.com',
  '/..//evil.com',
  '/x/..//evil.com',
  '//',
  '/\\',
  '//[',
  '/login?next=/email',
])('sign-in redirects to the start page instead of %s', (next) => {
  expect(safeRedirect(next, OURS)).toBe('/');
});
