import type { OpenApiDocument } from '@jobline/api/openapi';
import type { EndpointRequest } from '../walk/ask.js';

/** A part of a request that can contain a value of the caller. */
export interface InputField {
  /** The operation that it belongs to. */
  operation: string;
  method: string;
  /** The path as endpoints have it: `/jobs/:id`. */
  path: string;
  /** Whether its endpoint needs no credential. */
  isOpen: boolean;
  kind: FieldKind;
  /** For example `body payload.to`. */
  name: string;
  /** Where it is, which limits its size. Node limits headers and URLs. */
  place: 'body' | 'address';
  ask(value: unknown): EndpointRequest;
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema, read as the document has it
type Schema = any;
type Path = (string | number)[];

/** The name of a property that the schema does not name. */
const ANY_NAME = 'any_name';

/** What a field accepts: a text, a list, or an object whose names the schema knows. */
export type FieldKind = 'text' | 'list' | 'object';

/** Every field of the document that accepts a value of this kind, each once. Addresses contain texts alone. */
export function fieldsOfKind(document: OpenApiDocument, kind: FieldKind): InputField[] {
  const fields = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries<Schema>(operations).flatMap(([method, operation]) => {
      const about = {
        kind,
        operation: operation.operationId,
        method,
        path: path.replace(/\{(\w+)\}/g, ':$1'),
        isOpen: operation.security.length === 0,
      };
      const inAddress = kind === 'text' ? addressFields(operation) : [];
      return [...inAddress, ...bodyFields(document, operation, kind)].map((field) => ({ ...about, ...field }));
    }),
  );
  return [...new Map(fields.map((field) => [`${field.operation} ${field.name}`, field])).values()];
}

type Field = Pick<InputField, 'name' | 'place' | 'ask'>;

function addressFields({ parameters = [], requestBody }: Schema): Field[] {
  const params = Object.fromEntries(
    parameters.filter((one: Schema) => one.in === 'path').map((one: Schema) => [one.name, ANY_ID]),
  );
  const body = Object.values<Schema>(examplesOf(requestBody))[0]?.value;
  return parameters
    .filter(({ in: place }: Schema) => place === 'path' || place === 'query')
    .map(({ in: place, name }: Schema) => ({
      name: `${place} ${name}`,
      place: 'address',
      ask: (text: unknown) => ({
        params: place === 'path' ? { ...params, [name]: text } : params,
        ...(place === 'query' && { query: { [name]: text } }),
        ...(body && { body }),
      }),
    }));
}

/** The id in paths where another field is tested. */
const ANY_ID = '01a1fe9f-4bb0-76dd-8eba-02455de81017';

/** The fields of a body. A field is listed for each example of the operation in which it has its own rule. */
function bodyFields(document: OpenApiDocument, { parameters = [], requestBody }: Schema, kind: FieldKind): Field[] {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return [];
  const inPath = parameters.filter((one: Schema) => one.in === 'path');
  const params = Object.fromEntries(inPath.map((one: Schema) => [one.name, ANY_ID]));
  return Object.values<Schema>(examplesOf(requestBody)).flatMap(({ value }) =>
    pathsOf(document, kind, schema, value).map((path) => ({
      name: nameOf(path, value),
      place: 'body' as const,
      ask: (input: unknown) => ({ params, body: withInput(value, path, input) }),
    })),
  );
}

function examplesOf(requestBody: Schema): Record<string, Schema> {
  return requestBody?.content['application/json']?.examples ?? {};
}

/** The name of a field. In a payload it includes the job type, in either spelling, because the rules depend on it. */
function nameOf(path: Path, { type, Type = type }: Schema): string {
  const [first = '', ...rest] = path.map(String);
  if (first.toLowerCase() !== 'payload') return `body ${path.join('.')}`;
  return `body ${['payload', ...rest].join('.')}${path[1] === ANY_NAME ? '' : ` of ${Type}`}`;
}

/** Paths at which the schema accepts a value of a kind, or any names. Conditions are checked against the example. */
function pathsOf(document: OpenApiDocument, kind: FieldKind, given: Schema, value: Schema): Path[] {
  const schema: Schema = given.$ref ? document.components.schemas[given.$ref.replace(/^.*\//, '')] : given;
  const { anyOf = [], oneOf = [], allOf = [], properties, items } = schema;
  const inside = (part: Schema) => pathsOf(document, kind, part, value);
  return [
    ...[...anyOf, ...oneOf].flatMap(inside),
    ...allOf
      .filter((part: Schema) => !part.if || isMet(part.if, value))
      .flatMap((part: Schema) => inside(part.then ?? part)),
    ...Object.entries<Schema>(properties ?? {}).flatMap(([name, child]) =>
      pathsOf(document, kind, child, value?.[name]).map((path): Path => [name, ...path]),
    ),
    ...(items ? pathsOf(document, kind, items, value?.[0]).map((path): Path => [0, ...path]) : []),
    ...endsAt(kind, schema),
  ];
}

/** Where a value of a kind can be: here, or under any name. */
function endsAt(kind: FieldKind, { type, enum: words, properties }: Schema): Path[] {
  const types = [type].flat();
  const isHere =
    (kind === 'text' && types.includes('string') && !words) ||
    (kind === 'list' && types.includes('array')) ||
    (kind === 'object' && types.includes('object') && properties);
  const isAnyName = kind === 'text' && types.includes('object') && !properties;
  return [...(isHere ? [[]] : []), ...(isAnyName ? [[ANY_NAME]] : [])];
}

function isMet({ properties }: Schema, value: Schema): boolean {
  return Object.entries<Schema>(properties).every(([name, rule]) => value?.[name] === rule.const);
}

function withInput(value: unknown, [first, ...rest]: Path, input: unknown): Schema {
  if (first === undefined) return input;
  const inner = (parent: Schema) => withInput(parent?.[first], rest, input);
  if (typeof first === 'number') return [inner(value)];
  // The cast: a value with keys is an object, and one is created where the example has none.
  const parent = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return { ...parent, [first]: inner(parent) };
}
