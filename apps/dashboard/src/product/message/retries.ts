import { LIMITS } from '@jobline/contracts';

/** Returns the error message for a text that is not a valid number of retries; null if it is valid. */
export function retriesError(text: string): string | null {
  const isValid = /^\d{1,3}$/.test(text.trim()) && Number(text) <= LIMITS.maxRetries;
  return isValid ? null : `Enter a whole number from 0 to ${LIMITS.maxRetries}.`;
}
