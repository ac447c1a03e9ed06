import { expect, test } from 'vitest';
import { cpuMsOf } from './compute-child.js';

/** The processor time as the process itself measures it. */
function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

test('the processor time of a process equals what the process measures itself', () => {
  const before = ownCpuMs();
  const read = cpuMsOf(process.pid) ?? Number.NaN;
  const after = ownCpuMs();

  // The value has steps of 10 ms, and consists of two values that are each rounded.
  expect(read).toBeGreaterThan(before - 20);
  expect(read).toBeLessThan(after + 20);
});

test('a process that is gone has no processor time', () => {
  expect(cpuMsOf(2 ** 22 + 1)).toBeNull();
  expect(cpuMsOf(undefined)).toBeNull();
});
