import type { OpenApiDocument } from '@jobline/api/openapi';
import fc from 'fast-check';

/** Values generated from JSON schemas: valid ones, and ones that no schema expects. */

type Value = fc.Arbitrary<unknown>;
// biome-ignore lint/suspicious/noExplicitAny: a JSON schema, read as the document has it
type Schema = any;

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'id',
  'org_id',
  'role',
  'user',
  '',
  ' ',
  'ID',
  '$where',
  '\u0000',
];
const TEXTS = [
  ...NAMES,
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  'é́ \u202e \ufeff',
  '😀'.repeat(50),
  'x'.repeat(129),
  'x'.repeat(256),
  'x'.repeat(999),
  'x'.repeat(70_000),
  "'; DROP TABLE jobs; --",
  '{{ 7 | times: 7 }}{% for i in (1..100000000) %}{{ i }}{% endfor %}',
  '{% if %}',
  '../../etc/passwd',
  '%00%ff',
  'a\r\nX-Injected: yes',
  '2026-02-30T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-01-01T00:00:00Z',
  '-1',
  '1e999',
  'null',
  'a@b',
  '"a b"@example.com',
  'a@xn--a.example',
  '+254711000111',
  'http://169.254.169.254/',
  'http://user:pw@[::1]:0/',
];
const NUMBERS = [0, -0, -1, 1, 1.5, 101, 1_001, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324];

/** Fields that contain the name of something. */
const NAMING = /(^|_)id$|^(template|from|to|token|name)$/i;

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value };
  return value;
}

export const oddText: fc.Arbitrary<string> = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary' }));
const oddName: fc.Arbitrary<string> = fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 5 }));

/** Unusual JSON values. A `__proto__` key is an own property, as JSON.parse creates it. */
export const oddValue: Value = fc.oneof(
  { weight: 4, arbitrary: oddText },
  fc.constantFrom<unknown>(...NUMBERS, null, true, false, [], {}, [[]], [null]),
  fc.constantFrom(64, 65, 66, 500).map(nested),
  fc.constantFrom('{"__proto__":{"role":"owner"}}', '{"constructor":{"prototype":1}}').map((text) => JSON.parse(text)),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Generates values that a schema of the document allows. Names of rows are mostly drawn from `names`. */
export function createValues(
  document: OpenApiDocument,
  names: fc.Arbitrary<string>,
): (schema: Schema, key?: string) => Value {
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? resolve(document.components.schemas[schema.$ref.replace(/^.*\//, '')]) : schema;

  function valuesOf(given: Schema, key = ''): Value {
    const schema = resolve(given);
    const { enum: choices, oneOf, anyOf = oneOf, items, minItems = 0, maxItems = minItems + 3 } = schema;
    if (choices) return fc.constantFrom(...choices);
    if ('const' in schema) return fc.constant(schema.const);
    // The fields around the alternatives, which may only say which of them are required together.
    const { oneOf: _, anyOf: __, ...around } = schema;
    const whole = (one: Schema) => {
      if (!schema.properties) return one;
      const isAllowed = ([name]: [string, Schema]) => one.properties?.[name] !== false;
      const properties = Object.fromEntries(Object.entries<Schema>(schema.properties).filter(isAllowed));
      return { ...around, ...one, properties, required: [...(schema.required ?? []), ...(one.required ?? [])] };
    };
    if (anyOf) return fc.oneof(...anyOf.map((one: Schema) => valuesOf(whole(one), key)));
    if (schema.type === 'object' || schema.properties) return objectOf(schema);
    if (schema.type === 'array') {
      return fc.array(valuesOf(items ?? {}), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
    }
    if (schema.type === 'integer') return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 1_000 });
    if (schema.type === 'number')
      return fc.double({ min: schema.minimum ?? -5, max: schema.maximum ?? 1_000, noNaN: true });
    if (schema.type === 'boolean') return fc.boolean();
    if (schema.type === 'null') return fc.constant(null);
    if (schema.type === 'string') return textOf(schema, key);
    return fc.jsonValue({ maxDepth: 2 });
  }

  function objectOf(schema: Schema): Value {
    const { properties = {}, required = [], allOf = [] } = schema;
    if (Object.keys(properties).length === 0)
      return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const recordOf = (more: Record<string, Value> = {}) => {
      const entries = Object.entries(properties).map(([key, schema]) => [key, valuesOf(schema, key)]);
      return fc.record({ ...Object.fromEntries(entries), ...more }, { requiredKeys: required });
    };
    const shapes = allOf.flatMap(({ if: condition, then }: Schema) => {
      if (!condition) return [];
      const [[key, { const: value }]] = Object.entries<Schema>(condition.properties) as [[string, Schema]];
      const more = Object.entries<Schema>(then.properties).map(([name, schema]) => [name, valuesOf(schema, name)]);
      return [recordOf({ ...Object.fromEntries(more), [key]: fc.constant(value) })];
    });
    return fc.oneof({ weight: 2, arbitrary: recordOf() }, ...shapes);
  }

  function textOf({ pattern, format, minLength = 0, maxLength = 200 }: Schema, key: string): Value {
    const plain = fc.string({ minLength, maxLength: Math.min(maxLength, 40) });
    if (format === 'date-time')
      return fc
        .date({ min: new Date(0), max: new Date('2030-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    if (format === 'email') return fc.nat(999).map((n) => `person${n}@example.com`);
    if (format === 'uri') return fc.webUrl();
    const like = pattern === undefined ? plain : matching(pattern, plain);
    if (key === 'cursor') return names.map((name) => Buffer.from(`1799999999999.${name}`).toString('base64url'));
    if (key === 'domain') return fc.oneof(names, { weight: 3, arbitrary: fc.domain() });
    return NAMING.test(key) ? fc.oneof(names, { weight: 2, arbitrary: like }) : like;
  }

  return valuesOf;
}

/** Texts that match a pattern. The generator lacks Unicode classes; plain text matches nearly all of those. */
export function matching(
  pattern: string,
  otherwise: Value = fc.string({ minLength: 1, maxLength: 20 }),
): fc.Arbitrary<string> {
  // The cast: both generate strings.
  if (/\\[pP]\{|\(\?/.test(pattern)) return otherwise as fc.Arbitrary<string>;
  return fc.stringMatching(new RegExp(pattern), { size: 'small' });
}

/** A value with up to three changes: a value replaced, removed or added. */
export function almost(value: Value): Value {
  const change = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('replace', 'remove', 'add'),
    name: oddName,
    value: oddValue,
  });
  return fc.tuple(value, fc.array(change, { minLength: 1, maxLength: 3 })).map(([start, changes]) => {
    let root: unknown = structuredClone(start);
    for (const { at, kind, name, value: odd } of changes) {
      const places = placesIn(root);
      const place = places[at % (places.length + 1)];
      if (!place) root = kind === 'add' ? withMore(root, name, odd) : odd;
      else if (kind === 'replace') set(place.holder, place.key, odd);
      else if (kind === 'remove') Reflect.deleteProperty(place.holder, place.key);
      else set(place.holder, Array.isArray(place.holder) ? String(place.holder.length) : name, odd);
    }
    return root;
  });
}

function placesIn(value: unknown, depth = 0): { holder: object; key: string }[] {
  if (typeof value !== 'object' || value === null || depth > 6) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner, depth + 1)]);
}

function withMore(value: unknown, key: string, more: unknown): unknown {
  if (typeof value === 'object' && value !== null) set(value, key, more);
  return value;
}

/** Also sets a key with the name `__proto__`. */
function set(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}
