import { expect, test } from 'vitest';
import { artifactIssue } from './artifact.js';

const GOOD = { name: 'invoice-7.pdf', contentType: 'application/pdf', bytes: new Uint8Array(3) };

test.each(['a', '.hidden', '...', 'a..b', '-', 'x'.repeat(128)])('an artifact may be called %j', (name) => {
  expect(artifactIssue({ ...GOOD, name })).toBeNull();
});

// A name is a part of a path and of a header.
test.each(['', '.', '..', 'a/b', 'a\\b', '../x', 'a b', 'a"b', 'é', 'a\n', 'a\0', 'x'.repeat(129)])(
  'an artifact may not be called %j',
  (name) => {
    expect(artifactIssue({ ...GOOD, name })).toContain('cannot name an artifact');
  },
);

test.each(['image/svg+xml', 'text/plain; charset=utf-8', 'application/vnd.x.y+json'])(
  '%j is a content type',
  (type) => {
    expect(artifactIssue({ ...GOOD, contentType: type })).toBeNull();
  },
);

test.each(['', 'pdf', 'a/b\r\nX-Evil: 1', 'a/b; x=1', '/b', 'a/'])('%j is no content type', (type) => {
  expect(artifactIssue({ ...GOOD, contentType: type })).toContain('is not a content type');
});

test('an artifact has at most 50 MiB', () => {
  const limitBytes = 50 * 1024 * 1024;

  expect(artifactIssue({ ...GOOD, bytes: new Uint8Array(limitBytes) })).toBeNull();
  expect(artifactIssue({ ...GOOD, bytes: new Uint8Array(limitBytes + 1) })).toBe(
    'the artifact invoice-7.pdf has 52428801 bytes, and at most 52428800 can be kept',
  );
});
