export interface RetryPolicy {
  baseMs: number;
  maxMs: number;
}

/**
 * Computes the wait before retry n (from 1): base × 2^(n−1), with ±20 % jitter so that jobs that failed at the same
 * time do not return at the same time, limited by the maximum of the policy. `random` is in [0, 1).
 */
export function backoffMs(retry: number, policy: RetryPolicy, random: number): number {
  const exact = policy.baseMs * 2 ** (retry - 1);
  return Math.round(Math.min(exact * (0.8 + 0.4 * random), policy.maxMs));
}
