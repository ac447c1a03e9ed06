import { describe, expect, it } from 'vitest';
import { inputsOf, typedValue, valuesOf, withValue } from './payload-form.js';

const schema = {
  type: 'object',
  properties: {
    to: { type: 'string', description: 'Who gets it' },
    copies: { type: 'integer' },
    urgent: { type: 'boolean' },
    size: { enum: ['a4', 'letter', 3] },
  },
  required: ['to'],
};
const inputs = inputsOf(schema) ?? [];

describe('the inputs of a payload', () => {
  it('are those of a flat schema', () => {
    expect(inputs.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['to', 'text', true],
      ['copies', 'number', false],
      ['urgent', 'choice', false],
      ['size', 'choice', false],
    ]);
    expect(inputs[0]?.description).toBe('Who gets it');
    expect(inputs[3]?.choices).toEqual(['a4', 'letter', 3]);
  });

  it.each([
    ['no schema', null],
    ['no fields', { type: 'object' }],
    ['a field that is an object', { properties: { a: { type: 'object' } } }],
    ['a field that is a list', { properties: { a: { type: 'array' } } }],
    ['a field that may be null', { properties: { a: { type: ['string', 'null'] } } }],
    ['a choice that is an object', { properties: { a: { enum: [{}] } } }],
    ['alternatives', { ...schema, oneOf: [{ required: ['copies'] }] }],
    ['alternatives of a field', { properties: { a: { type: 'string', anyOf: [] } } }],
  ])('do not exist for %s', (_what, other) => {
    expect(inputsOf(other)).toBeNull();
  });

  it.each(['{"to": ', '[]', '{"other": 1}', '{"to": {}}', '{"to": null}', '{"size": "a5"}', '{"urgent": "yes"}'])(
    'are not shown for the payload %s, of which they would not show everything',
    (text) => {
      expect(valuesOf(inputs, text)).toBeNull();
    },
  );

  it('change one field of the payload and keep the others in their order', () => {
    const text = '{"to": "a", "copies": 1, "__proto__": 1}';

    expect(JSON.parse(withValue(text, 'copies', 2))).toEqual(JSON.parse('{"to": "a", "copies": 2, "__proto__": 1}'));
    expect(Object.keys(JSON.parse(withValue(text, 'to', 'b')))).toEqual(['to', 'copies', '__proto__']);
    expect(withValue('{"to": "a"}', 'to', undefined)).toBe('{}');
    expect(JSON.parse(withValue('{}', '__proto__', 'x'))).toEqual(JSON.parse('{"__proto__": "x"}'));
  });

  it('keep what is not a number, for the API to reject', () => {
    const [text, number] = inputs;
    if (!text || !number) throw new Error('there are no inputs');

    expect(['', '7', '1.', 'many', ' '].map((typed) => typedValue(number, typed))).toEqual([
      undefined,
      7,
      1,
      'many',
      ' ',
    ]);
    expect(typedValue(text, '7')).toBe('7');
  });
});
