import type { JsonObject } from '@jobline/contracts';
import Joi, { type Description } from 'joi';
import { describe, expect, test } from 'vitest';
import { defineHandler, type StandardSchema } from './define-handler.js';
import { outboundUrl } from './http/outbound-url.js';
import { builtIn, createCatalogue } from './jobs/index.js';
import { pathText } from './path-text.js';
import { checkPayload, payloadIssues } from './payload.js';

const order = defineHandler({
  type: 'order',
  payload: Joi.object({
    to: Joi.string().required(),
    count: Joi.number().integer(),
    lines: Joi.array().items(Joi.object({ sku: Joi.string().required() })),
    callback: outboundUrl,
  }),
  run: async () => null,
});
const catalogue = createCatalogue([order, defineHandler({ type: 'anything', run: async () => null })]);

test.each([
  ['all names', Joi.object({ a: Joi.any() }).unknown(false), '"kind" is not allowed'],
  [
    'a name without a key',
    Joi.object({ a: Joi.any().when('kind', { not: 'x', otherwise: Joi.required() }) }),
    '"a" is required',
  ],
])('a schema of a custom type may look at %s', (_what, payload, message) => {
  const custom = defineHandler({ type: 'custom', payload, run: async () => null });

  expect(payloadIssues(createCatalogue([custom]), 'custom', { kind: 'x' })).toMatchObject([{ message }]);
});

test('the schemas of the built-in types look at the names of their keys only', () => {
  const others = builtIn.flatMap(({ payload }) => {
    const { type, keys = {}, metas: _about, ...rules } = payload?.describe() ?? {};
    const references = [...JSON.stringify(keys).matchAll(/"ref":\{"path":\["([^"]+)"/g)].map(([, name = '']) => name);
    const names = namesIn(keys);
    return [...Object.keys(rules), ...references.filter((name) => !names.includes(name))];
  });

  expect(others).toEqual([]);
});

/** The names of an object and of the objects in it, also in its lists. */
function namesIn(keys: Description['keys'] = {}): string[] {
  return Object.entries<Description>(keys).flatMap(([name, { keys, items = [] }]) => [
    name,
    ...namesIn(keys),
    ...items.flatMap((item: Description) => namesIn(item.keys)),
  ]);
}

test('every issue of a payload is listed with its path', () => {
  const payload = { count: 1.5, lines: [{ sku: 'a' }, {}], callback: 'ftp://x.example' };

  expect(payloadIssues(catalogue, 'order', payload)).toEqual([
    { path: 'payload.to', message: '"to" is required' },
    { path: 'payload.count', message: '"count" must be an integer' },
    { path: 'payload.lines[1].sku', message: '"lines[1].sku" is required' },
    { path: 'payload.callback', message: '"callback" must start with http:// or https://' },
  ]);
});

test('unknown keys of a payload are ignored', () => {
  expect(payloadIssues(catalogue, 'order', { to: 'x', more: 1, lines: [{ sku: 'a', more: 2 }] })).toEqual([]);
});

test('a numeric string is not converted to a number', () => {
  expect(payloadIssues(catalogue, 'order', { to: 'x', count: '3' })).toEqual([
    { path: 'payload.count', message: '"count" must be a number' },
  ]);
});

test('validation does not change the payload', () => {
  const payload = { to: '  x ', more: 1 };

  payloadIssues(catalogue, 'order', payload);

  expect(payload).toEqual({ to: '  x ', more: 1 });
});

test('any payload is valid for a type without a schema and for an unknown type', () => {
  expect(payloadIssues(catalogue, 'anything', { a: 1 })).toEqual([]);
  expect(payloadIssues(catalogue, 'unheard-of', { a: 1 })).toEqual([]);
});

test.each<[string, JsonObject, string[]]>([
  ['an empty payload', {}, ['payload.url', 'payload.payload']],
  ['a URL that is not valid', { url: 'example.com', payload: {} }, ['payload.url']],
  ['a URL with credentials', { url: 'https://me:pw@example.com/', payload: {} }, ['payload.url']],
  ['a payload that is a list', { url: 'https://example.com/', payload: [] }, ['payload.payload']],
  ['a payload that is null', { url: 'https://example.com/', payload: null }, ['payload.payload']],
  ['a valid payload', { url: 'https://example.com/', payload: { any: { thing: [1] } } }, []],
])('the issues of a webhook with %s are found', (_what, payload, paths) => {
  expect(payloadIssues(createCatalogue(), 'webhook', payload).map(({ path }) => path)).toEqual(paths);
});

test('a path is formatted as in code', () => {
  expect(pathText(['jobs', 3, 'payload', 'to'])).toBe('jobs[3].payload.to');
  expect(pathText([])).toBe('');
  expect(pathText([3, 'to'])).toBe('[3].to');
});

test('a long path is printed without its middle', () => {
  const name = 'n'.repeat(128);
  expect(pathText(['payload', ...Array(60).fill(name), 'to', 3])).toBe('payload….to[3]');
  expect(pathText(['payload', ...Array(60).fill('a')])).toBe(`payload${'.a'.repeat(60)}`);
  expect(pathText(Array(64).fill('n'.repeat(1_000))).length).toBeLessThanOrEqual(258);
});

describe('a schema of another library', () => {
  const run = async () => 'hello';
  const schema: StandardSchema<object> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: async (value) =>
        value !== null && typeof value === 'object' && 'name' in value
          ? {}
          : { issues: [{ message: 'is missing', path: ['people', 0, { key: 'name' }] }, { message: 'is bad' }] },
    },
  };

  test('is validated asynchronously, and its issues are reported', async () => {
    const handler = defineHandler({ type: 'greet', schema, run });

    expect(await checkPayload(handler, { name: 1 })).toEqual([]);
    expect(await checkPayload(handler, {})).toEqual([
      { path: 'payload.people[0].name', message: 'is missing' },
      { path: 'payload', message: 'is bad' },
    ]);
  });

  test('can be a Joi schema: unknown keys are ignored and nothing is converted', async () => {
    const handler = defineHandler({ type: 'greet', schema: Joi.object({ age: Joi.number() }), run });

    expect(await checkPayload(handler, { age: 7, more: true })).toEqual([]);
    expect(await checkPayload(handler, { age: '7' })).toEqual([
      { path: 'payload.age', message: '"age" must be a number' },
    ]);
  });
});
