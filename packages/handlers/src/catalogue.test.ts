import { expect, test } from 'vitest';
import { createCatalogue } from './catalogue.js';
import { DEFAULT_QUEUE, DEFAULT_TIMEOUT_MS, defineHandler } from './define-handler.js';

const greet = defineHandler({ type: 'greet', run: async () => 'hello' });

test('a handler is found by its type', () => {
  const catalogue = createCatalogue([greet]);

  expect(catalogue.get('greet')).toBe(greet);
  expect(catalogue.get('Greet')).toBeUndefined();
});

test('without handlers given, it holds the built-in ones', () => {
  expect(createCatalogue().has('webhook')).toBe(true);
});

// Whichever came last would run, and nobody would know.
test('two handlers for one type are refused, and the type is named', () => {
  expect(() => createCatalogue([greet, { ...greet }])).toThrow('two handlers for the job type "greet"');
});

test('a handler that says nothing else has the default queue, the default time limit and its type for a summary', () => {
  expect(greet).toMatchObject({ queue: DEFAULT_QUEUE, timeoutMs: DEFAULT_TIMEOUT_MS, summary: 'greet' });
  expect(defineHandler({ ...greet, queue: 'cpu', timeoutMs: 5 })).toMatchObject({ queue: 'cpu', timeoutMs: 5 });
});
