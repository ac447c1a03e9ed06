import { Context } from 'liquidjs';
import { afterEach, expect, test, vi } from 'vitest';
import { limitByCpu } from './render-limits.js';

afterEach(() => vi.restoreAllMocks());

/** A rendering with a limit of 100 ms. The test sets the processor time that it has used. */
function limited() {
  const cpuUsage = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
  const startedAt = performance.now();
  const { renderLimit } = limitByCpu(new Context({}, undefined, { renderLimit: 100 }), 100);
  return {
    cpuUsage,
    checkAfter(clockMs: number, cpuMs: number) {
      cpuUsage.mockReturnValue({ user: cpuMs * 600, system: cpuMs * 400 });
      renderLimit.check(startedAt + clockMs);
    },
  };
}

test('a rendering that waited for a processor continues after its limit', () => {
  const { checkAfter } = limited();

  expect(() => checkAfter(1_000, 20)).not.toThrow();
  expect(() => checkAfter(5_000, 99)).not.toThrow();
});

test('a rendering that used its limit of processor time is ended', () => {
  const { checkAfter } = limited();
  checkAfter(1_000, 50);

  expect(() => checkAfter(1_100, 101)).toThrow('template render limit exceeded');
});

test('processor time of other threads does not end a rendering before its clock limit', () => {
  const { checkAfter } = limited();

  expect(() => checkAfter(90, 150)).not.toThrow();
});

test('the processor time is read only when it can be exceeded', () => {
  const { cpuUsage, checkAfter } = limited();
  checkAfter(1_000, 20);
  cpuUsage.mockClear();
  checkAfter(1_079, 20);

  expect(cpuUsage).not.toHaveBeenCalled();
});
