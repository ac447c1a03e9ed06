import type { Description, Schema } from 'joi';
import type { JsonSchema } from './types.js';

/** Makes JSON Schemas of Joi's, and keeps those that have a name, so that others refer to them. */
export interface Schemas {
  /** What a caller may send. */
  input(schema: Schema): JsonSchema;
  /** What a caller gets. */
  output(schema: Schema): JsonSchema;
  /** Keeps a schema under a name; gives what refers to it. Throws when the name stands for something else. */
  keep(name: string, schema: JsonSchema): JsonSchema;
  /** Those with a name, by their names. */
  named(): Record<string, JsonSchema>;
}

const TARGET = { target: 'draft-2020-12' } as const;

/**
 * What Joi leaves out of its JSON Schemas is added here: names (`meta({ view })`), keywords for what only code can check
 * (`meta({ jsonSchema })`), examples, forbidden values, and null among listed ones.
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
    const whole: JsonSchema = { ...json, ...jsonSchema, ...children(json, described) };
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

  /** Of an array with more than one kind of item, Joi gives the choice between them. */
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

/** Of a field that depends on another one, Joi gives a choice of one. */
function chosen({ anyOf, ...json }: JsonSchema): JsonSchema {
  const [only, ...others] = anyOf ?? [];
  if (!anyOf || (only && others.length === 0)) return { ...json, ...only };
  return { ...json, anyOf };
}

/** Joi takes its time, and some schemas are in many answers. */
function once(convert: (schema: Schema) => JsonSchema): (schema: Schema) => JsonSchema {
  const made = new Map<Schema, JsonSchema>();
  return (schema) => {
    const json = made.get(schema) ?? convert(schema);
    made.set(schema, json);
    return json;
  };
}

/** What a Joi schema says of itself for documents alone. */
export interface SchemaMeta {
  /** Its name. */
  view?: string;
  /** Keywords for what the schema checks by code. */
  jsonSchema?: JsonSchema;
}

function metaOf({ metas = [] }: Description): SchemaMeta {
  return Object.assign({}, ...metas);
}
