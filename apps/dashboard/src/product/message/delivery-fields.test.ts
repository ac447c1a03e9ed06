import { expect, it } from 'vitest';
import { retriesError } from './delivery-fields.js';

it('the number of retries must be a whole number up to 100', () => {
  expect(['0', '3', '100'].map(retriesError)).toEqual([null, null, null]);
  expect(['', '-1', '1.5', '101', 'three'].every((text) => retriesError(text) !== null)).toBe(true);
});
