import { formatBytes, formatShare } from '../../format/index.js';

/** Returns `1.2 MB → 430 KB, −64%` for the file that a compress_image job has written; null for other files. */
export function compressionSummary(result: unknown, name: string): string | null {
  if (typeof result !== 'object' || result === null) return null;
  // The cast: every JSON object is such a record.
  const { artifact, size_before: before, size_after: after } = result as Record<string, unknown>;
  if (artifact !== name || typeof before !== 'number' || typeof after !== 'number' || before <= 0) return null;
  const sizes = `${formatBytes(before)} → ${formatBytes(after)}`;
  if (after === before) return `${sizes}, no change`;
  const sign = after < before ? '−' : '+';
  return `${sizes}, ${sign}${formatShare(Math.abs(before - after), before)}`;
}
