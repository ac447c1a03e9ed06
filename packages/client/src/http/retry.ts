import { JoblineError } from '../jobline-error.js';

/** The request that failed. */
export interface FailedTry {
  /** How often it was repeated before. */
  retries: number;
  maxRetries: number;
  /** Whether a second try has no second effect: it reads, it sets a state, or it has an idempotency key. */
  isRepeatable: boolean;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;
/** If the API asks to wait longer than this, the caller decides. */
const LONGEST_RETRY_AFTER_MS = 60_000;
const TRANSIENT_STATUSES = [429, 502, 503, 504];

/** How long to wait before the next try; null: there is none. */
export function retryDelayMs(error: unknown, { retries, maxRetries, isRepeatable }: FailedTry): number | null {
  if (!(error instanceof JoblineError) || retries >= maxRetries) return null;
  if (!(isRepeatable ? isTransient(error) : wasNotCarriedOut(error))) return null;
  const { retryAfterMs = 0 } = error;
  return retryAfterMs > LONGEST_RETRY_AFTER_MS ? null : retryAfterMs + backoffMs(retries);
}

/** Whether another try may succeed. */
export function isTransient({ code, status }: JoblineError): boolean {
  // These are answers about a provider that a message was sent to. A repetition would get the same, or send it again.
  if (code === 'provider_error' || code === 'unknown_effect') return false;
  return code === 'unreachable' || (code === 'timeout' && status === 0) || TRANSIENT_STATUSES.includes(status);
}

/** A random delay that doubles with each retry, so that clients that failed together do not return together. */
export function backoffMs(retries: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** retries, LONGEST_DELAY_MS);
  return longest * (0.5 + Math.random() / 2);
}

/**
 * Jobline rejects a request with this before it does anything. A 503 can mean that the connection to its database broke
 * during the commit.
 */
function wasNotCarriedOut({ status }: JoblineError): boolean {
  return status === 429;
}
