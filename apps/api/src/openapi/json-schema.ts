import type { Description, Schema } from 'joi';
import type { JsonSchema } from './types.js';

/** Converts Joi schemas to JSON Schemas. Named schemas are kept once, and other schemas refer to them. */
export interface Schemas {
  /** Converts the schema of a request. */
  input(schema: Schema): JsonSchema;
  /** Converts the schema of a response. */
  output(schema: Schema): JsonSchema;
  /** Keeps a schema under a name and returns a reference to it. Throws if another schema has the name. */
  keep(name: string, schema: JsonSchema): JsonSchema;
  /** The named schemas by their names. */
  named(): Record<string, JsonSchema>;
}

const TARGET = { target: 'draft-2020-12' } as const;

/**
 * Joi's own conversion leaves out some parts, which are added here: names (`meta({ view })`), keywords for checks by code
 * (`meta({ jsonSchema })`), fields of which others are the alternative, examples, forbidden values, and null among enumerated
 * values.
 */
export function createSchemas(): Schemas {
  const kept = new Map<string, JsonSchema>();

  function keep(name: string, schema: JsonSchema): JsonSchema {
    const other = kept.get(name);
    if (other && JSON.stringify(other) !== JSON.stringify(schema)) throw new Error(`two schemas are named "${name}"`);
    kept.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  function complete(given: JsonSchema, described: Description): JsonSchema {
    const json = chosen(given);
    const { view, jsonSchema } = metaOf(described);
    const whole: JsonSchema = { ...json, ...alternatives(described), ...jsonSchema, ...children(json, described) };
    if (described.examples) whole.examples = described.examples;
    if (described.invalid) whole.not = { enum: described.invalid };
    const isNullable = Array.isArray(json.type) && json.type.includes('null');
    if (isNullable && json.enum) whole.enum = [...json.enum, null];
    if (view === undefined) return whole;
    if (!isNullable) return keep(view, whole);
    return { anyOf: [keep(view, { ...whole, type: 'object' }), { type: 'null' }] };
  }

  function children({ properties, items }: JsonSchema, described: Description): JsonSchema {
    return {
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, child]) => [name, complete(child, described.keys[name])]),
        ),
      }),
      ...(items && { items: itemsOf(items, described) }),
    };
  }

  /** For an array with several item schemas, Joi's conversion returns `anyOf` with all of them. */
  function itemsOf(items: JsonSchema, { items: described }: Description): JsonSchema {
    const [only, ...others] = described;
    if (others.length === 0) return complete(items, only);
    return { ...items, anyOf: items.anyOf?.map((item, index) => complete(item, described[index])) };
  }

  return {
    input: once((schema) => complete(schema['~standard'].jsonSchema.input(TARGET), schema.describe())),
    output: once((schema) => complete(schema['~standard'].jsonSchema.output(TARGET), schema.describe())),
    keep,
    named: () => Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** For a field that depends on other ones, Joi's conversion returns `anyOf` with one element, or several times the same. */
function chosen({ anyOf = [], ...json }: JsonSchema): JsonSchema {
  const different = new Map(anyOf.map(chosen).map((schema) => [JSON.stringify(schema), schema]));
  const [only, ...others] = different.values();
  if (!only || others.length === 0) return { ...json, ...only };
  return { ...json, anyOf: [only, ...others] };
}

/** For fields that are required without another one: the object has either all of them, or that one. */
function alternatives({ keys = {} }: Description): JsonSchema {
  // The cast: the keys of a description are descriptions.
  const rules = Object.entries(keys as Record<string, Description>).flatMap(([name, { whens = [] }]) =>
    whens.map(({ ref, ...of }: Conditional) => ({ name, other: ref?.path[0], ...of })),
  );
  const required = rules.filter(
    ({ then, otherwise }) => then?.flags?.presence === 'forbidden' && otherwise?.flags?.presence === 'required',
  );
  if (required.length === 0) return {};
  return { oneOf: [{ required: required.map(({ name }) => name) }, { required: [required[0]?.other] }] };
}

/** The part of Joi's description of a condition that is used here. */
interface Conditional {
  ref?: { path: string[] };
  then?: { flags?: { presence?: string } };
  otherwise?: { flags?: { presence?: string } };
}

/** Joi's conversion is slow, and some schemas are part of many responses. */
function once(convert: (schema: Schema) => JsonSchema): (schema: Schema) => JsonSchema {
  const made = new Map<Schema, JsonSchema>();
  return (schema) => {
    const json = made.get(schema) ?? convert(schema);
    made.set(schema, json);
    return json;
  };
}

/** Metadata of a Joi schema for the API document. */
interface SchemaMeta {
  /** The name of the schema. */
  view?: string;
  /** JSON Schema keywords for rules that the Joi schema checks by code. */
  jsonSchema?: JsonSchema;
}

function metaOf({ metas = [] }: Description): SchemaMeta {
  return Object.assign({}, ...metas);
}
