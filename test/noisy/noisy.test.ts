import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACK_NAMES } from './attack-names.js';
import { LIMITS, type Noisy, startNoisy } from './noisy.js';
import { asRow, keepReport } from './report.js';

/** Duration of each attack. The long version in test/long also checks the times. */
const ATTACK_MS = 1_000;

let noisy: Noisy;
const rows: string[] = [];

beforeAll(async () => {
  noisy = await startNoisy();
});
afterAll(async () => {
  await noisy.end();
  keepReport(rows);
});

describe('no other organization is harmed by', () => {
  it.each(ATTACK_NAMES)('%s', async (name) => {
    const report = await noisy.attack(name, ATTACK_MS);
    rows.push(asRow(report));

    expect(report).toMatchObject({ died: [], lost: 0, refused: [] });
    expect(report.memoryMiB.api).toBeLessThan(LIMITS.api.memoryMiB);
    expect(report.memoryMiB.worker).toBeLessThan(LIMITS.worker.memoryMiB);
    expect(Object.keys(report.answered).filter((status) => status === '500')).toEqual([]);
    expect(Object.keys(report.answered)).not.toEqual([]);
  });
});
