import { describe, expect, it } from 'vitest';
import { JoblineError, type JoblineErrorCode } from '../jobline-error.js';
import { retryDelayMs } from './retry.js';

const FIRST = { retries: 0, maxRetries: 4 };

function failure(status: number, code: JoblineErrorCode, retryAfterMs?: number): JoblineError {
  return new JoblineError({ status, code, message: 'it failed', retryAfterMs });
}

describe('a request that may be carried out twice', () => {
  it.each([
    failure(0, 'unreachable'),
    failure(0, 'timeout'),
    failure(429, 'rate_limited', 1_000),
    failure(502, 'unexpected'),
    failure(503, 'unavailable'),
    failure(504, 'unexpected'),
  ])('is repeated after $status $code', (error) => {
    expect(retryDelayMs(error, { ...FIRST, isRepeatable: true })).toBeGreaterThan(0);
  });

  it.each([
    failure(400, 'validation_failed'),
    failure(401, 'unauthenticated'),
    failure(404, 'not_found'),
    failure(409, 'conflict'),
    failure(422, 'idempotency_key_reused'),
    failure(500, 'internal'),
    failure(502, 'provider_error'),
    failure(502, 'unknown_effect'),
    failure(0, 'invalid_options'),
    new Error('a defect'),
  ])('is not repeated after $status $code', (error) => {
    expect(retryDelayMs(error, { ...FIRST, isRepeatable: true })).toBeNull();
  });
});

describe('a request that must not be carried out twice', () => {
  it('is repeated only if it was not carried out', () => {
    const delay = (error: JoblineError) => retryDelayMs(error, { ...FIRST, isRepeatable: false });

    expect(delay(failure(429, 'rate_limited'))).toBeGreaterThan(0);
    expect(delay(failure(503, 'unavailable', 1_000))).toBeNull();
    expect(delay(failure(0, 'unreachable'))).toBeNull();
    expect(delay(failure(0, 'timeout'))).toBeNull();
    expect(delay(failure(502, 'unexpected'))).toBeNull();
  });
});

describe('the delay', () => {
  it('doubles with each retry up to 8 s, has jitter, and is never shorter than requested', () => {
    const delays = (retries: number, retryAfterMs?: number) =>
      Array.from({ length: 200 }, () =>
        Number(
          retryDelayMs(failure(503, 'unavailable', retryAfterMs), { retries, maxRetries: 100, isRepeatable: true }),
        ),
      );

    for (const [retries, most] of [
      [0, 250],
      [1, 500],
      [4, 4_000],
      [5, 8_000],
      [99, 8_000],
    ] as const) {
      expect(Math.max(...delays(retries))).toBeLessThanOrEqual(most);
      expect(Math.min(...delays(retries))).toBeGreaterThanOrEqual(most / 2);
      expect(new Set(delays(retries)).size).toBeGreaterThan(100);
    }
    expect(Math.min(...delays(0, 3_000))).toBeGreaterThan(3_000);
  });

  it('ends after the last retry, and if the API asks to wait for more than a minute', () => {
    const at = (error: JoblineError, retries: number) =>
      retryDelayMs(error, { retries, maxRetries: 2, isRepeatable: true });

    expect(at(failure(503, 'unavailable'), 1)).not.toBeNull();
    expect(at(failure(503, 'unavailable'), 2)).toBeNull();
    expect(at(failure(429, 'rate_limited', 60_000), 0)).not.toBeNull();
    expect(at(failure(429, 'rate_limited', 61_000), 0)).toBeNull();
  });
});
