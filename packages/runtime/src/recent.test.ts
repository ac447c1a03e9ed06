import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLookup, createRecent } from './recent.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a lookup', () => {
  const options = { ttlMs: 5_000, maxEntries: 3 };

  it('a lookup loads once for simultaneous calls, and again after its entry has expired', async () => {
    const load = vi.fn(async (key: string) => key.toUpperCase());
    const lookup = createLookup({ ...options, load });

    expect(await Promise.all([lookup.get('a'), lookup.get('a'), lookup.get('b')])).toEqual(['A', 'A', 'B']);
    expect(load).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(4_999);
    await lookup.get('a');
    expect(load).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(1);
    await lookup.get('a');
    expect(load).toHaveBeenCalledTimes(3);
  });

  it('a failed lookup is not remembered', async () => {
    const load = vi.fn(async () => 'found').mockRejectedValueOnce(new Error('away'));
    const lookup = createLookup({ ...options, load });

    await expect(lookup.get('a')).rejects.toThrow('away');
    expect(await lookup.get('a')).toBe('found');
  });

  // A session that is looked up while it is being closed must not become valid again.
  it('an answer is not remembered if its key is forgotten while it is being loaded', async () => {
    const answers = ['alive', 'gone'];
    const lookup = createLookup({ ...options, load: async () => answers.shift() });

    const early = lookup.get('a');
    lookup.forget('a');

    expect(await early).toBe('alive');
    expect(await lookup.get('a')).toBe('gone');
  });
});

it('keys that exist stay in memory, however many missing keys are looked up', async () => {
  const load = vi.fn(async (key: string) => (key.startsWith('good') ? key : null));
  const lookup = createLookup({ ttlMs: 5_000, maxEntries: 3, load });
  await Promise.all(['good 1', 'good 2'].map(lookup.get));

  await Promise.all(Array.from({ length: 100 }, (_, n) => lookup.get(`bad ${n}`)));
  expect([lookup.has('good 1'), lookup.has('bad 1'), lookup.has('bad 99')]).toEqual([true, false, true]);
  load.mockClear();
  expect(await Promise.all([lookup.get('good 1'), lookup.get('good 2'), lookup.get('bad 99')])).toEqual([
    'good 1',
    'good 2',
    null,
  ]);
  expect(load).not.toHaveBeenCalled();
});

it('the oldest entry is dropped when there are too many', () => {
  const recent = createRecent<number>({ ttlMs: 5_000, maxEntries: 3 });
  for (const [n, key] of ['a', 'b', 'c', 'a', 'd'].entries()) recent.set(key, n);

  expect(['a', 'b', 'c', 'd'].map((key) => recent.get(key))).toEqual([3, undefined, 2, 4]);
});
