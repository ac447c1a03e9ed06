import type { OrgId } from '@jobline/contracts';
import type { JobStatsRow } from '@jobline/db';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createJobStats } from './stats-cache.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const org = (name: string) => name as OrgId; // any text is an organization here
/** Waits until every count that may begin has begun. */
async function turn(): Promise<void> {
  for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** Fake counts. The test decides when they end. */
function counting(settings?: Parameters<typeof createJobStats>[1]) {
  const begun: { orgId: OrgId; end(): void; fail(): void }[] = [];
  const stats = createJobStats(
    (orgId) =>
      new Promise<JobStatsRow>((resolve, reject) => {
        const row = { byStatus: { done: begun.length + 1 }, byType: [], series: [], oldestPendingAt: null };
        begun.push({ orgId, end: () => resolve(row), fail: () => reject(new Error('out of time')) });
      }),
    settings,
  );
  return { begun, stats };
}

describe('the job statistics of an organization', () => {
  it('are counted once for concurrent requests', async () => {
    const { begun, stats } = counting();

    const asked = [stats.read(org('a'), '1h'), stats.read(org('a'), '1h'), stats.read(org('b'), '1h')];
    await turn();
    for (const { end } of begun) end();

    expect(begun.map(({ orgId }) => orgId)).toEqual(['a', 'b']);
    expect((await Promise.all(asked)).map(({ byStatus }) => byStatus.done)).toEqual([1, 1, 2]);
  });

  it('wait while two other counts are running', async () => {
    const { begun, stats } = counting();

    const asked = [stats.read(org('a'), '1h'), stats.read(org('a'), '7d'), stats.read(org('b'), '1h')];
    await turn();
    expect(begun).toHaveLength(2);
    begun[0]?.end();
    await turn();

    expect(begun).toHaveLength(3);
    for (const { end } of begun) end();
    await Promise.all(asked);
  });

  it('are counted before the others of an organization that asks for many', async () => {
    const { begun, stats } = counting();

    const asked = [1, 2, 3, 4].map((n) => stats.read(org('a'), '1h', [`type-${n}`]));
    asked.push(stats.read(org('b'), '1h'));
    await turn();
    expect(begun.map(({ orgId }) => orgId)).toEqual(['a', 'b']);

    for (let n = 0; n < 5; n++) {
      begun[n]?.end();
      await turn();
    }
    await Promise.all(asked);
  });

  it('are counted again after a count that could not begin in time', async () => {
    let isFull = true;
    const { begun, stats } = counting({
      limiter: {
        run: async (work) => {
          if (isFull) throw new Error('too many');
          return work();
        },
      },
    });
    await expect(stats.read(org('a'), '1h')).rejects.toThrow('too many');
    isFull = false;

    const asked = stats.read(org('a'), '1h');
    begun[0]?.end();
    expect((await asked).byStatus.done).toBe(1);
  });

  it('are reused for longer when the count took longer', async () => {
    const { begun, stats } = counting();
    const slow = stats.read(org('a'), '1h');
    await turn();
    vi.advanceTimersByTime(1_000);
    begun[0]?.end();
    await slow;

    vi.advanceTimersByTime(9_900);
    expect(await stats.read(org('a'), '1h')).toBe(await slow);
    vi.advanceTimersByTime(200);
    expect(await stats.read(org('a'), '1h')).toBe(await slow);
    await turn();

    expect(begun).toHaveLength(2);
    begun[1]?.end();
    await turn();
    expect((await stats.read(org('a'), '1h')).byStatus.done).toBe(2);
  });

  it('are counted again before the response when they are a minute old, or when the last count was fast', async () => {
    const { begun, stats } = counting();
    const slow = stats.read(org('a'), '1h');
    const quick = stats.read(org('b'), '1h');
    await turn();
    begun[1]?.end();
    await quick;
    vi.advanceTimersByTime(1_000);
    begun[0]?.end();
    await slow;

    vi.advanceTimersByTime(59_500);
    const fresh = [stats.read(org('a'), '1h'), stats.read(org('b'), '1h')];
    await turn();
    begun[2]?.end();
    begun[3]?.end();

    expect((await Promise.all(fresh)).map(({ byStatus }) => byStatus.done)).toEqual([3, 4]);
  });

  it('are counted before each response without a maximum age, but not at once after a long count', async () => {
    const { begun, stats } = counting({ restFactor: 1, maxAgeMs: 0 });
    const slow = stats.read(org('a'), '1h');
    await turn();
    vi.advanceTimersByTime(1_000);
    begun[0]?.end();
    await slow;

    vi.advanceTimersByTime(900);
    expect(await stats.read(org('a'), '1h')).toBe(await slow);
    vi.advanceTimersByTime(200);
    const fresh = stats.read(org('a'), '1h');
    await turn();
    begun[1]?.end();

    expect((await fresh).byStatus.done).toBe(2);
  });

  it('are counted again when others have taken their place', async () => {
    const { begun, stats } = counting({ maxEntries: 1 });
    for (const window of ['1h', '7d', '7d', '1h'] as const) {
      const asked = stats.read(org('a'), window);
      await turn();
      begun.at(-1)?.end();
      await asked;
    }

    expect(begun).toHaveLength(3);
  });

  it('are counted again some time after a failure', async () => {
    const { begun, stats } = counting();
    const failing = expect(stats.read(org('a'), '1h')).rejects.toThrow('out of time');
    await turn();
    vi.advanceTimersByTime(10_000);
    begun[0]?.fail();
    await failing;

    vi.advanceTimersByTime(9_900);
    await expect(stats.read(org('a'), '1h')).rejects.toThrow('out of time');
    vi.advanceTimersByTime(200);
    const second = stats.read(org('a'), '1h');
    await turn();
    begun[1]?.end();

    expect((await second).byStatus.done).toBe(2);
  });
});
