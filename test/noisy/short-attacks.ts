import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS, type Noisy, startNoisy } from './noisy.js';

/** Duration of each attack. The long version in test/long also checks the times. */
const ATTACK_MS = 1_000;

/** Defines a test of each attack that no other organization is harmed. */
export function testAttacks(names: readonly string[]): void {
  let noisy: Noisy;
  beforeAll(async () => {
    noisy = await startNoisy();
  });
  afterAll(() => noisy.end());

  it.each(names)('no other organization is harmed by %s', async (name) => {
    const report = await noisy.attack(name, ATTACK_MS);

    expect(report).toMatchObject({ died: [], lost: 0, refused: [] });
    expect(report.memoryMiB.api).toBeLessThan(LIMITS.api.memoryMiB);
    expect(report.memoryMiB.worker).toBeLessThan(LIMITS.worker.memoryMiB);
    expect(Object.keys(report.answered).filter((status) => status === '500')).toEqual([]);
    expect(Object.keys(report.answered)).not.toEqual([]);
  });
}
