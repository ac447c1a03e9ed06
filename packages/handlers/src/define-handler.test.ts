import { expect, test } from 'vitest';
import { artifactIssue, checkProgress } from './define-handler.js';

const GOOD = { name: 'invoice-7.pdf', contentType: 'application/pdf', bytes: new Uint8Array(3) };

test.each(['a', '.hidden', '...', 'a..b', '-', 'a b', 'a"b', 'é', '請求書 ७.pdf', '🧾.pdf', 'x'.repeat(200)])(
  '%j is a valid artifact name',
  (name) => {
    expect(artifactIssue({ ...GOOD, name })).toBeNull();
  },
);

// A name is used in a path and in a header.
test.each(['', '.', '..', 'a/b', 'a\\b', '../x', 'a\n', 'a\0', 'a\x7f', 'a\ud800', 'x'.repeat(201)])(
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

test.each([-1, 100.1, Number.NaN, Number.POSITIVE_INFINITY, '50', null, undefined])(
  'progress of %o is refused',
  (percent) => {
    // The cast: a handler written in JavaScript may pass any value.
    expect(() => checkProgress(percent as number)).toThrow(/must be a number from 0 to 100/);
  },
);

test('progress is any number from 0 to 100, with a text of limited length or none', () => {
  expect(checkProgress(0)).toEqual({ percent: 0, text: null });
  expect(checkProgress(99.5, 'x'.repeat(5_000))).toEqual({ percent: 99.5, text: 'x'.repeat(1_024) });
});
