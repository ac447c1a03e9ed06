/** A longer wait than this is cut: a job must not sleep for years because a receiver's header says so. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * How long a Retry-After header asks to wait: delta-seconds or an HTTP-date (RFC 9110, 10.2.3), a past date being 0.
 * Null for anything else, the obsolete date forms included.
 */
export function retryAfterMs(header: string | undefined, nowMs = Date.now()): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return bounded(Number(value) * 1000);
  if (!HTTP_DATE.test(value)) return null;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : bounded(atMs - nowMs);
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`. Date.parse alone would take far more, some of it as local time. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
