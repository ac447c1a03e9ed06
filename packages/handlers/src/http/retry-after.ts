/** The maximum wait. A job must not wait for years because of a receiver's header. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * The wait that a Retry-After header asks for: delta-seconds or an HTTP-date (RFC 9110, 10.2.3). A past date means 0.
 * Null for anything else, including the obsolete date formats.
 */
export function retryAfterMs(header: string | undefined, nowMs = Date.now()): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return bounded(Number(value) * 1000);
  if (!HTTP_DATE.test(value)) return null;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : bounded(atMs - nowMs);
}

/**
 * A date such as `Sun, 06 Nov 1994 08:49:37 GMT`. Date.parse alone accepts many other formats, some of them as local
 * time.
 */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
