import type { Catalogue, Handler } from '@jobline/handlers';
import { createSchemas, type Schemas } from './json-schema.js';
import type { JsonSchema } from './types.js';

/** The names of the submission schemas, and the fields in which each has the job's type and payload. */
const SUBMISSIONS = [
  { name: 'Submission', type: 'type', payload: 'payload' },
  { name: 'CapitalizedSubmission', type: 'Type', payload: 'Payload' },
] as const;

/** The named schemas. The submission schemas include the payload schema of each known job type. */
export function withPayloads(schemas: Schemas, catalogue: Catalogue): Record<string, JsonSchema> {
  const payloads = payloadSchemas(schemas, catalogue);
  const results = resultSchemas(schemas, catalogue);
  const named = schemas.named();
  for (const { name, type, payload } of SUBMISSIONS) {
    const allOf = payloads.map((known) => ({
      if: { properties: { [type]: { const: known.type } }, required: [type] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nothing awaits it.
      then: { properties: { [payload]: known.schema } },
    }));
    if (named[name] && allOf.length > 0) named[name] = { ...named[name], allOf };
  }
  const { JobResult } = named;
  if (JobResult && results.length > 0) named.JobResult = withResults(JobResult, results);
  return named;
}

/** Job types that accept any payload have no schema. */
function payloadSchemas(schemas: Schemas, catalogue: Catalogue): { type: string; schema: JsonSchema }[] {
  return [...catalogue.values()].flatMap(({ type, summary, payload }) => {
    if (!payload) return [];
    const schema = { description: `Payload of \`${type}\`: ${summary}.`, ...opened(schemas.input(payload)) };
    return { type, schema: schemas.keep(`${pascalCase(type)}Payload`, schema) };
  });
}

/** References to the schemas of results. A type has the same name in them as in the schemas of payloads. */
function resultSchemas(schemas: Schemas, catalogue: Catalogue): JsonSchema[] {
  return [...catalogue.values()].flatMap(({ type, result }): JsonSchema[] => {
    if (!result) return [];
    const schema = { description: `Result of \`${type}\`.`, ...schemas.output(result) };
    return [schemas.keep(`${pascalCase(type)}Result`, schema)];
  });
}

const ANY_RESULT = { description: 'The result of any other type.' };

function withResults({ properties, ...view }: JsonSchema, results: JsonSchema[]): JsonSchema {
  return { ...view, properties: { ...properties, result: { ...properties?.result, anyOf: [...results, ANY_RESULT] } } };
}

/** The schema of the payload of a type that the API knows, by itself. Null: the type accepts any payload. */
export function payloadSchema(handler: Handler): JsonSchema | null {
  const { payload } = handler;
  if (!payload) return null;
  const made = known.get(handler) ?? opened(createSchemas().input(payload));
  known.set(handler, made);
  return made;
}

/** Joi's conversion is slow. */
const known = new WeakMap<Handler, JsonSchema>();

/** Payloads keep unknown fields, so their schemas allow them. */
function opened({ additionalProperties: _, ...schema }: JsonSchema): JsonSchema {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, opened(child)])),
    }),
    ...(items && { items: opened(items) }),
  };
}

/** `compress_image` → `CompressImage`. */
function pascalCase(type: string): string {
  const words = type.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
