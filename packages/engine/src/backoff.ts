export interface RetryPolicy {
  baseMs: number;
  maxMs: number;
}

/**
 * The wait before retry n (from 1): base × 2^(n−1), ±20 % so that jobs that failed together do not return together,
 * capped at the policy's maximum. `random` is in [0, 1).
 */
export function backoffMs(retry: number, policy: RetryPolicy, random: number): number {
  const exact = policy.baseMs * 2 ** (retry - 1);
  return Math.round(Math.min(exact * (0.8 + 0.4 * random), policy.maxMs));
}
