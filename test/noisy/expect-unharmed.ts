import { expect } from 'vitest';
import type { Report } from './noisy.js';

/** Asserts what holds in every attack, however slow the machine is. */
export function expectUnharmed(report: Report): void {
  expect(report).toMatchObject({ died: [], lost: 0, refused: [] });
  expect(report.memoryMiB.api).toBeLessThan(report.limitMiB.api);
  expect(report.memoryMiB.worker).toBeLessThan(report.limitMiB.worker);
  expect(Object.keys(report.answered)).not.toContain('500');
  expect(Object.keys(report.answered)).not.toContain('the attacker died');
}
