import { failureOf } from '@jobline/handlers/errors';
import { expect, test } from 'vitest';
import { beforeEffect } from './before-effect.js';

const failing = (message: string) => beforeEffect(() => Promise.reject(new Error(message))).catch(failureOf);

test('an attempt is postponed if Postgres is unavailable before it has an effect', async () => {
  expect(await failing('timeout exceeded when trying to connect')).toMatchObject({ isPostponed: true });
});

test('any other error fails the attempt', async () => {
  expect(await failing('no such column')).toMatchObject({ isPostponed: false });
  expect(await beforeEffect(async () => 'found')).toBe('found');
});
