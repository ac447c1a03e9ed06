import { LIMITS } from '@jobline/contracts';

/** A sentence for the field where the text is no number of retries; null when it is one. */
export function retriesError(text: string): string | null {
  const isRight = /^\d{1,3}$/.test(text.trim()) && Number(text) <= LIMITS.maxRetries;
  return isRight ? null : `A whole number from 0 to ${LIMITS.maxRetries}.`;
}
