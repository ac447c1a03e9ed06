import { expect, it } from 'vitest';
import { compressionSummary } from './job-panels.js';

it('the compression summary is shown only for the compressed file', () => {
  const result = { artifact: 'compressed.jpg', size_before: 1_000, size_after: 360 };
  expect(compressionSummary(result, 'compressed.jpg')).toBe('1000 B → 360 B, −64%');
  expect(compressionSummary(result, 'other.jpg')).toBeNull();
  expect(compressionSummary({ ...result, size_after: 1_100 }, 'compressed.jpg')).toBe('1000 B → 1.1 KB, +10%');
  expect(compressionSummary(null, 'compressed.jpg')).toBeNull();
});
