import { Ajv2020 } from 'ajv/dist/2020.js';
import Joi, { type ObjectSchema, type Schema } from 'joi';
import { describe, expect, it } from 'vitest';
import { issuesOf } from './payload.js';
import { payloadJsonSchema } from './payload-schema.js';

const object = (fields: Record<string, Schema>): ObjectSchema => Joi.object(fields);
const jsonSchemaOf = (payload: ObjectSchema) => payloadJsonSchema({ payload });

/** Whether the JSON Schema of a Joi schema accepts a payload. */
function accepts(payload: ObjectSchema, value: unknown): boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, unicode: false, logger: false });
  return ajv.compile(jsonSchemaOf(payload) ?? {})(value);
}

describe('the JSON Schema of a Joi schema', () => {
  it('has its fields, their types and the rules that JSON Schema expresses exactly', () => {
    const schema = object({
      name: Joi.string().min(2).max(5).required().description('Who'),
      email: Joi.string().email(),
      code: Joi.string().pattern(/^[a-z]{3}$/),
      kind: Joi.valid('a', 1, null),
      count: Joi.number().integer().min(0).max(9),
      price: Joi.number().positive().less(10),
      isNew: Joi.boolean().required(),
      tags: Joi.array().items(Joi.string()).min(1).max(3),
      mixed: Joi.array().items(Joi.string(), Joi.number()).length(2),
      either: Joi.alternatives(Joi.string(), Joi.number()),
      inner: Joi.object({ id: Joi.string().length(4).required() }).allow(null),
      empty: Joi.string().allow(''),
      any: Joi.any(),
    });

    expect(jsonSchemaOf(schema)).toEqual({
      type: 'object',
      properties: {
        name: { description: 'Who', type: 'string', minLength: 2, maxLength: 5 },
        email: { type: 'string', minLength: 1, format: 'email' },
        code: { type: 'string', minLength: 1, pattern: '^[a-z]{3}$' },
        kind: { enum: ['a', 1, null] },
        count: { type: 'integer', minimum: 0, maximum: 9 },
        price: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 10 },
        isNew: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 3 },
        mixed: {
          type: 'array',
          items: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
          minItems: 2,
          maxItems: 2,
        },
        either: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }] },
        inner: {
          anyOf: [
            {
              type: 'object',
              properties: { id: { type: 'string', minLength: 4, maxLength: 4 } },
              required: ['id'],
            },
            { enum: [null] },
          ],
        },
        empty: { anyOf: [{ type: 'string', minLength: 1 }, { enum: [''] }] },
        any: {},
      },
      required: ['name', 'isNew'],
    });
  });

  it.each<[string, ObjectSchema, unknown]>([
    ['an unknown field', object({ a: Joi.string() }), { b: 1 }],
    ['a pattern with a flag', object({ a: Joi.string().pattern(/^[a-z]$/i) }), { a: 'A' }],
    ['a pattern of Unicode', object({ a: Joi.string().pattern(/^\p{L}$/u) }), { a: 'é' }],
    ['an inverted pattern', object({ a: Joi.string().pattern(/x/, { invert: true }) }), { a: 'y' }],
    ['a pattern of the older syntax', object({ a: Joi.string().pattern(/^[\w-.]-$/) }), { a: 'a-' }],
    ['two patterns', object({ a: Joi.string().pattern(/a/).pattern(/b/) }), { a: 'ab' }],
    ['a word in another case', object({ a: Joi.string().valid('x').insensitive() }), { a: 'X' }],
    ['a length in bytes', object({ a: Joi.string().min(4, 'utf8') }), { a: 'éé' }],
    ['a length in code units', object({ a: Joi.string().min(2) }), { a: '😀' }],
    ['an empty text', object({ a: Joi.string().min(0) }), { a: '' }],
    ['a text that counts as missing', object({ a: Joi.string().empty('') }), { a: '' }],
    ['a value that is replaced', object({ a: Joi.number().failover(1) }), { a: 'x' }],
    ['a value that is converted', object({ a: Joi.number().prefs({ convert: true }) }), { a: '5' }],
    ['a renamed field', object({ b: Joi.string().required() }).rename('a', 'b'), { a: 'x' }],
    ['a field that depends on another', object({ a: Joi.any(), b: when() }), { a: 1 }],
    ['an allowed value of the same type', object({ a: Joi.string().max(2).allow('long') }), { a: 'long' }],
    ['an allowed value in addition to alternatives', object({ a: alternatives().allow(null) }), { a: null }],
    ['null among words', object({ a: Joi.string().valid('x').allow(null) }), { a: null }],
    ['a rule that only warns', object({ a: Joi.string().min(5).warn() }), { a: 'a' }],
    ['a limit in another field', object({ a: Joi.number(), b: Joi.number().min(Joi.ref('a')) }), { a: 5, b: 6 }],
    ['one of alternatives', object({ a: alternatives().match('one') }), { a: 'x' }],
    ['a multiple of a fraction', object({ a: Joi.number().multiple(0.01) }), { a: 19.99 }],
    ['fields of a pattern', object({ a: Joi.string() }).pattern(/^a|b$/i, Joi.number()), { a: 'x', B: 1 }],
    ['all fields of a pattern', object({ a: Joi.string() }).pattern(Joi.string(), Joi.number()), { a: 'x', b: 1 }],
    ['a single item', object({ a: Joi.array().items(Joi.number()).single() }), { a: 5 }],
    ['items that must not occur', object({ a: Joi.array().items(Joi.forbidden()) }), { a: [] }],
    ['items that must occur', object({ a: Joi.array().items(Joi.valid(1).required(), Joi.number()) }), { a: [1, 2] }],
    ['items by position', object({ a: Joi.array().ordered(Joi.number(), Joi.string()) }), { a: [1, 'x'] }],
    ['a recursive schema', tree(), { children: [{ children: [] }] }],
    ['an object among values', object({ a: Joi.valid({ b: 1 }) }), { a: { b: 1 } }],
    ['a large number', object({ a: Joi.number().max(Number.POSITIVE_INFINITY) }), { a: 5 }],
    ['a decimal that is an integer', object({ a: Joi.number().integer().port() }), { a: 80.0 }],
    ['a key of any name', object({}), JSON.parse('{"__proto__":1,"constructor":2}')],
  ])('accepts %s, as Joi does', (_what, schema, payload) => {
    expect(issuesOf({ payload: schema }, payload as object)).toEqual([]);
    expect(accepts(schema, payload)).toBe(true);
  });

  it.each<[string, ObjectSchema, unknown]>([
    ['a missing field', object({ a: Joi.string().required() }), {}],
    ['another type', object({ a: Joi.number() }), { a: '5' }],
    ['a nested field', object({ a: object({ b: Joi.boolean().required() }) }), { a: {} }],
    ['an item', object({ a: Joi.array().items(Joi.number()) }), { a: [1, 'x'] }],
    ['another word', object({ a: Joi.valid('x', 'y') }), { a: 'z' }],
    ['an empty text', object({ a: Joi.string() }), { a: '' }],
    ['too many fields', object({ a: Joi.any() }).max(1), { a: 1, b: 2 }],
  ])('rejects %s, as Joi does', (_what, schema, payload) => {
    expect(issuesOf({ payload: schema }, payload as object)).not.toEqual([]);
    expect(accepts(schema, payload)).toBe(false);
  });
});

describe('the JSON Schema of a handler', () => {
  it('is null without a schema, and for a library that cannot convert its own', () => {
    const schema = { '~standard': { version: 1 as const, vendor: 'test', validate: () => ({}) } };
    expect(payloadJsonSchema({})).toBeNull();
    expect(payloadJsonSchema({ schema })).toBeNull();
  });

  it('is what a library that can convert its own schemas says', () => {
    const input = ({ target }: { target: string }) => ({ type: 'object', title: target });
    const standard = { version: 1 as const, vendor: 'test', validate: () => ({}), jsonSchema: { input } };
    expect(payloadJsonSchema({ schema: { '~standard': standard } })).toEqual({
      type: 'object',
      title: 'draft-2020-12',
    });
  });
});

function alternatives() {
  return Joi.alternatives(Joi.string(), Joi.number());
}

function when() {
  // biome-ignore lint/suspicious/noThenProperty: Joi's name for it; nothing awaits it.
  return Joi.string().required().when('a', { is: 1, then: Joi.optional() });
}

function tree(): ObjectSchema {
  return Joi.object({ children: Joi.array().items(Joi.link('#node')) }).id('node');
}
