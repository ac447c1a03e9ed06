import { expect, test } from 'vitest';
import { cpuMsOf } from './cpu-time.js';

/** As the process itself counts it. */
function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

test('the processor time of a process is what the process itself counts', () => {
  const before = ownCpuMs();
  const read = cpuMsOf(process.pid) ?? Number.NaN;
  const after = ownCpuMs();

  // It is read in steps of 10 ms, of two times that are rounded each.
  expect(read).toBeGreaterThan(before - 20);
  expect(read).toBeLessThan(after + 20);
});

test('a process that is gone has no processor time', () => {
  expect(cpuMsOf(2 ** 22 + 1)).toBeNull();
  expect(cpuMsOf(undefined)).toBeNull();
});
