import { expect, test } from 'vitest';
import { artifactIssue } from './define-handler.js';

const GOOD = { name: 'invoice-7.pdf', contentType: 'application/pdf', bytes: new Uint8Array(3) };

test.each(['a', '.hidden', '...', 'a..b', '-', 'x'.repeat(128)])('%j is a valid artifact name', (name) => {
  expect(artifactIssue({ ...GOOD, name })).toBeNull();
});

// A name is used in a path and in a header.
test.each(['', '.', '..', 'a/b', 'a\\b', '../x', 'a b', 'a"b', 'é', 'a\n', 'a\0', 'x'.repeat(129)])(
  '%j is not a valid artifact name',
  (name) => {
    expect(artifactIssue({ ...GOOD, name })).toContain('is not a valid artifact name');
  },
);

test.each(['image/svg+xml', 'text/plain; charset=utf-8', 'application/vnd.x.y+json'])(
  '%j is a content type',
  (type) => {
    expect(artifactIssue({ ...GOOD, contentType: type })).toBeNull();
  },
);

test.each(['', 'pdf', 'a/b\r\nX-Evil: 1', 'a/b; x=1', '/b', 'a/'])('%j is not a content type', (type) => {
  expect(artifactIssue({ ...GOOD, contentType: type })).toContain('is not a content type');
});

test('an artifact has at most 50 MiB', () => {
  const limitBytes = 50 * 1024 * 1024;

  expect(artifactIssue({ ...GOOD, bytes: new Uint8Array(limitBytes) })).toBeNull();
  expect(artifactIssue({ ...GOOD, bytes: new Uint8Array(limitBytes + 1) })).toBe(
    'the artifact invoice-7.pdf has 52428801 bytes; the limit is 52428800',
  );
});
