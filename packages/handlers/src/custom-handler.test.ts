import Joi from 'joi';
import { describe, expect, test } from 'vitest';
import { readHandler } from './custom-handler.js';
import { DEFAULT_QUEUE, DEFAULT_TIMEOUT_MS, defineHandler } from './define-handler.js';

const run = async () => 'hello';
const standard = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };

const handlerOf = (module: Record<string, unknown>) => {
  const read = readHandler(module);
  return 'handler' in read ? read.handler : read.issues;
};
const issuesOf = (exported: unknown) => {
  const read = readHandler({ default: exported });
  return 'issues' in read ? read.issues : [];
};

describe('the handler of a module is read', () => {
  const expected = { type: 'greet', run, summary: 'greet', queue: DEFAULT_QUEUE, timeoutMs: DEFAULT_TIMEOUT_MS };

  test.each([
    ['from the default export', { default: { type: 'greet', run }, other: 1 }],
    ['from the only export', { greet: { type: 'greet', run } }],
    ['from the exports of the module itself', { type: 'greet', run }],
  ])('%s', (_how, module) => {
    expect(handlerOf(module)).toEqual(expected);
  });

  test('with all of its properties', () => {
    const full = {
      type: 'a.b:c-1',
      run,
      summary: 'Greets',
      queue: `a-${'1'.repeat(30)}`,
      timeoutMs: 5,
      schema: standard,
    };

    expect(handlerOf({ default: full })).toEqual(full);
  });

  test('with its defaults and hooks', () => {
    const hooks = { setup: run, close: run };
    const defaults = { max_retries: 2, timeout_ms: 9, backoff: { base_ms: 5, max_ms: 50 } };
    const own = { maxRetries: 2, timeoutMs: 9, backoff: { baseMs: 5, maxMs: 50 }, ...hooks };

    expect(handlerOf({ type: 'greet', run, defaults, ...hooks })).toEqual({ ...expected, ...own });
    const defined = defineHandler({ type: 'greet', run, defaults, ...hooks });
    expect(handlerOf({ default: defined })).toEqual({ ...expected, ...own });
  });

  test('with a Joi schema as its payload schema', () => {
    const schema = Joi.object({ name: Joi.string() });

    expect(handlerOf({ default: { type: 'greet', run, schema } })).toMatchObject({ payload: schema });
  });
});

describe('an invalid handler module is rejected', () => {
  test.each([
    ['without a type', { run }, '"type" is required'],
    ['with a bad type', { type: 'a b', run }, '"type" must be 1 to 128 of A-Z a-z 0-9 . _ : -'],
    ['with a type that is not a string', { type: 7, run }, '"type" must be a string'],
    ['without run', { type: 'a' }, '"run" is required'],
    ['with a run that is not a function', { type: 'a', run: 'x' }, '"run" must be of type function'],
    [
      'with a bad queue',
      { type: 'a', run, queue: 'GPU' },
      '"queue" must be 1 to 32 lower-case letters, digits and hyphens, and must begin with a letter',
    ],
    [
      'with the queue of deliveries',
      { type: 'a', run, queue: 'events' },
      '"queue" must not be "events": this queue is reserved for deliveries of events',
    ],
    ['with a time limit of zero', { type: 'a', run, timeoutMs: 0 }, '"timeout_ms" must be greater than or equal to 1'],
    ['with a time limit that is a string', { type: 'a', run, timeoutMs: '5' }, '"timeout_ms" must be a number'],
    [
      'with a time limit that is too long',
      { type: 'a', run, timeoutMs: 1e9 },
      '"timeout_ms" must be less than or equal to 86400000',
    ],
    [
      'with a schema that is not a schema',
      { type: 'a', run, schema: {} },
      '"schema" must be a Joi schema or follow Standard Schema',
    ],
    [
      'with too many retries by default',
      { type: 'a', run, defaults: { max_retries: 101 } },
      '"defaults.max_retries" must be less than or equal to 100',
    ],
    ['with an unknown default', { type: 'a', run, defaults: { priority: 1 } }, '"defaults.priority" is not allowed'],
    [
      'with a longest wait that is shorter than the first',
      { type: 'a', run, defaults: { backoff: { base_ms: 10, max_ms: 9 } } },
      '"defaults.backoff.max_ms" must be greater than or equal to ref:base_ms',
    ],
    [
      'with half of a backoff',
      { type: 'a', run, defaults: { backoff: { base_ms: 10 } } },
      '"defaults.backoff.max_ms" is required',
    ],
    [
      'with two time limits',
      { type: 'a', run, timeoutMs: 5, defaults: { timeout_ms: 5 } },
      '"timeout_ms" must not exist simultaneously with [defaults.timeout_ms]',
    ],
    ['with an unknown property', { type: 'a', run, retries: 3 }, '"retries" is not allowed'],
    ['with an export that is not a handler', 7, '"its export" must be of type object'],
  ])('%s', (_how, exported, issue) => {
    expect(issuesOf(exported)).toEqual([issue]);
  });

  test('with all of its issues at once', () => {
    expect(issuesOf({ type: '', queue: 'GPU', more: 1 })).toHaveLength(4);
  });

  test('if it exports nothing', () => {
    expect(handlerOf({})).toEqual(['"its export" is required']);
  });
});
