import { failureOf } from '@jobline/handlers/errors';
import { afterEach, expect, test, vi } from 'vitest';
import { beforeEffect, readBeforeEffect } from './before-effect.js';

afterEach(() => void vi.useRealTimers());

const failing = (message: string) => beforeEffect(() => Promise.reject(new Error(message))).catch(failureOf);

test('an attempt is postponed if Postgres is unavailable before it has an effect', async () => {
  expect(await failing('timeout exceeded when trying to connect')).toMatchObject({ isPostponed: true });
});

test('any other error fails the attempt', async () => {
  expect(await failing('no such column')).toMatchObject({ isPostponed: false });
  expect(await beforeEffect(async () => 'found')).toBe('found');
});

test('an attempt is postponed before its time limit if Postgres does not answer a read', async () => {
  vi.useFakeTimers();

  const failure = readBeforeEffect(() => new Promise(() => undefined)).catch(failureOf);
  await vi.advanceTimersByTimeAsync(15_000);

  expect(await failure).toMatchObject({ isPostponed: true });
  expect(await readBeforeEffect(async () => 'found')).toBe('found');
});
