import { describe, expect, it } from 'vitest';
import { clockProblems, redisProblems } from './start-checks.js';

const fine = { version: '7.2.4', policy: 'noeviction', isPersistent: true };

describe('the start check of Redis', () => {
  it('reports nothing if the setup is right or unknown', () => {
    expect(redisProblems(fine)).toEqual([]);
    expect(redisProblems({ version: '6.2.0', policy: null, isPersistent: null })).toEqual([]);
    expect(redisProblems({ version: null, policy: null, isPersistent: null })).toEqual([]);
  });

  it.each([
    [{ version: '6.0.16' }, 'Redis 6.0.16 is not supported: update it to 6.2'],
    [{ version: '5.0.14' }, 'Redis 5.0.14'],
    [{ policy: 'volatile-lru' }, 'maxmemory-policy volatile-lru): set it to noeviction; no job is lost'],
    [{ isPersistent: false }, 'set appendonly yes; no job is lost'],
  ])('reports %o in one sentence with its solution', (facts, text) => {
    expect(redisProblems({ ...fine, ...facts })).toEqual([expect.stringContaining(text)]);
  });
});

it('the start check reports a clock only if it is certainly wrong by more than three seconds', () => {
  expect(clockProblems({ aheadMs: 2_900, uncertainMs: 5 })).toEqual([]);
  expect(clockProblems({ aheadMs: -4_000, uncertainMs: 1_500 })).toEqual([]);
  expect(clockProblems({ aheadMs: 12_340, uncertainMs: 5 })).toEqual([expect.stringContaining('12.3 s ahead of')]);
  expect(clockProblems({ aheadMs: -3_600_000, uncertainMs: 5 })).toEqual([expect.stringContaining('3600.0 s behind')]);
});
