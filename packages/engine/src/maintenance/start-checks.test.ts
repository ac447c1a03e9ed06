import { describe, expect, it } from 'vitest';
import { clockFaults, redisFaults } from './start-checks.js';

const fine = { version: '7.2.4', policy: 'noeviction', isPersistent: true };

describe('what is said of a Redis', () => {
  it('is nothing where all is as it should be, or is not told', () => {
    expect(redisFaults(fine)).toEqual([]);
    expect(redisFaults({ version: '6.2.0', policy: null, isPersistent: null })).toEqual([]);
    expect(redisFaults({ version: null, policy: null, isPersistent: null })).toEqual([]);
  });

  it.each([
    [{ version: '6.0.16' }, 'version 6.0.16: update it to 6.2'],
    [{ version: '5.0.14' }, 'version 5.0.14'],
    [{ policy: 'volatile-lru' }, 'maxmemory-policy volatile-lru): set it to noeviction; no job is lost'],
    [{ isPersistent: false }, 'set appendonly yes; no job is lost'],
  ])('%o is one sentence with what to do', (facts, text) => {
    expect(redisFaults({ ...fine, ...facts })).toEqual([expect.stringContaining(text)]);
  });
});

it('a clock is called wrong only if it is by more than three seconds for sure', () => {
  expect(clockFaults({ aheadMs: 2_900, uncertainMs: 5 })).toEqual([]);
  expect(clockFaults({ aheadMs: -4_000, uncertainMs: 1_500 })).toEqual([]);
  expect(clockFaults({ aheadMs: 12_340, uncertainMs: 5 })).toEqual([expect.stringContaining('12.3 s ahead of')]);
  expect(clockFaults({ aheadMs: -3_600_000, uncertainMs: 5 })).toEqual([expect.stringContaining('3600.0 s behind')]);
});
