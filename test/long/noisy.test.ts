import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACK_NAMES } from '../noisy/attack-names.js';
import { LIMITS, type Noisy, startNoisy } from '../noisy/noisy.js';
import { asRow, keepReport } from '../noisy/report.js';

/** The duration of each attack, and the time limits that hold for the other organization during the attack. */
const ATTACK_MS = 20_000;
const WORST_ANSWER_MS = 1_000;
const PICKUP_P99_MS = 500;

let noisy: Noisy;
const rows: string[] = [];

beforeAll(async () => {
  noisy = await startNoisy();
});
afterAll(async () => {
  await noisy.end();
  console.log(keepReport(rows));
});

describe('an attack of twenty seconds does not harm other organizations', () => {
  it.each(ATTACK_NAMES)('%s', async (name) => {
    const report = await noisy.attack(name, ATTACK_MS);
    rows.push(asRow(report));

    expect(report).toMatchObject({ died: [], lost: 0, refused: [] });
    expect(report.memoryMiB.api).toBeLessThan(LIMITS.api.memoryMiB);
    expect(report.memoryMiB.worker).toBeLessThan(LIMITS.worker.memoryMiB);
    expect(report.worstAnswerMs).toBeLessThanOrEqual(WORST_ANSWER_MS);
    expect(report.pickupP99Ms).toBeLessThanOrEqual(PICKUP_P99_MS);
    expect(Object.keys(report.answered)).not.toContain('500');
  });
});
