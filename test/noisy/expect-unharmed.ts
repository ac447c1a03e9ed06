import { expect } from 'vitest';
import { LIMITS, type Report } from './noisy.js';

/** Asserts what holds in every attack, however slow the machine is. */
export function expectUnharmed(report: Report): void {
  expect(report).toMatchObject({ died: [], lost: 0, refused: [] });
  expect(report.memoryMiB.api).toBeLessThan(LIMITS.api.memoryMiB);
  expect(report.memoryMiB.worker).toBeLessThan(LIMITS.worker.memoryMiB);
  expect(Object.keys(report.answered)).not.toContain('500');
  expect(Object.keys(report.answered)).not.toContain('the attacker died');
}
