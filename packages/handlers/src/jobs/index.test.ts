import { expect, test } from 'vitest';
import { DEFAULT_QUEUE, DEFAULT_TIMEOUT_MS, defineHandler } from '../define-handler.js';
import { createCatalogue } from './index.js';

const greet = defineHandler({ type: 'greet', run: async () => 'hello' });

test('a handler is found by its type', () => {
  const catalogue = createCatalogue([greet]);

  expect(catalogue.get('greet')).toBe(greet);
  expect(catalogue.get('Greet')).toBeUndefined();
});

test('a catalogue contains the built-in job types by default', () => {
  expect(createCatalogue().has('webhook')).toBe(true);
});

test('no built-in job type has retries by default', () => {
  const withRetries = [...createCatalogue().values()].filter(({ maxRetries }) => maxRetries !== undefined);

  expect(withRetries).toEqual([]);
});

// Otherwise the last one would win silently.
test('two handlers for the same type are rejected with an error that names the type', () => {
  expect(() => createCatalogue([greet, { ...greet }])).toThrow('two handlers for the job type "greet"');
});

test('a handler has default values for its queue, its time limit and its summary', () => {
  expect(greet).toMatchObject({ queue: DEFAULT_QUEUE, timeoutMs: DEFAULT_TIMEOUT_MS, summary: 'greet' });
  expect(defineHandler({ ...greet, queue: 'cpu', timeoutMs: 5 })).toMatchObject({ queue: 'cpu', timeoutMs: 5 });
});
