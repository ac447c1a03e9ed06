import type { ErrorDetail } from '@jobline/contracts';

/** About how many bytes the details of one response may have. The issues of a batch of 1,000 jobs have 80 KiB. */
export const MAX_DETAILS_BYTES = 256 * 1024;

/** The first detail and those after it that fit into `maxBytes`. If some do not fit, the last one says how many are left out. */
export function cutDetails(details: readonly ErrorDetail[], maxBytes = MAX_DETAILS_BYTES): ErrorDetail[] {
  let bytes = 0;
  const end = details.findIndex((detail, n) => {
    bytes += bytesOf(detail);
    return n > 0 && bytes > maxBytes;
  });
  if (end < 0) return [...details];
  return [...details.slice(0, end), { path: '', message: `${details.length - end} more issues are not listed` }];
}

export function bytesOf(detail: ErrorDetail): number {
  return Buffer.byteLength(JSON.stringify(detail));
}
