import { defineHandler, type Handler } from '@jobline/handlers';
import { type Logger, silentLogger } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { closeAll, setUp } from './handler-hooks.js';

const run = async () => 'ok';
const handler = (type: string, hooks: Pick<Handler, 'setup' | 'close'>) => defineHandler({ type, ...hooks, run });
const never = () => new Promise(() => undefined);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('handlers are closed at the same time, and none is awaited for more than 10 s', async () => {
  const logged: string[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (message, fields) => void logged.push(`${Object.values(fields ?? {})[0]}: ${message}`),
  };
  const throws = () => {
    throw new Error('no');
  };
  const closing = closeAll(
    [handler('hangs', { close: never }), handler('throws', { close: throws }), handler('none', {})],
    log,
  );
  await vi.advanceTimersByTimeAsync(10_000);
  await closing;

  expect(logged).toEqual([
    'throws: close() of a handler failed',
    'hangs: close() of a handler takes too long; it is no longer awaited',
  ]);
});

it('a setup that never ends keeps the worker from starting for a minute, and then fails', async () => {
  const later: string[] = [];
  const settingUp = setUp([handler('hangs', { setup: never }), handler('next', { setup: () => later.push('next') })]);
  const failed = expect(settingUp).rejects.toThrow(
    'setup() of the type "hangs" failed: Error: it took longer than 60 s',
  );
  await vi.advanceTimersByTimeAsync(60_000);
  await failed;

  expect(later).toEqual([]);
});
