import { PAYLOAD_FIELDS } from '../generated/operations.js';
import type { JobType } from '../types.js';
import { printable } from './output.js';

/** How deep a type is written, and how many parts and characters it may have. What goes beyond is `unknown`. */
const MAX_DEPTH = 12;
const MAX_PARTS = 2_000;
const MAX_CHARACTERS = 100_000;
const MAX_DESCRIPTION = 200;
const INDENT = '  ';
const ANY_OBJECT = 'Record<string, unknown>';

/** A JSON Schema of any author: each keyword may have any value. */
type Schema = Readonly<Record<string, unknown>>;

/** A TypeScript module with the job types of an installation, by name. The same types give the same text. */
export function typesModule(types: readonly JobType[]): string {
  const members = types.map(({ type, built_in, schema }) => {
    const name = keyOf(type);
    // A type that a newer installation has built in is not known to this client.
    if (built_in && Object.hasOwn(PAYLOAD_FIELDS, type)) return `${INDENT}${name}: BuiltInJobs[${textOf(type)}];\n`;
    const payload = schema === null ? 'object' : payloadType(schema);
    return `${INDENT}${name}: { payload: ${payload}; result: unknown };\n`;
  });
  return `// The job types of an installation of Jobline. \`jobline types --typescript\` prints this file.
import type { BuiltInJobs } from '@jobline/client';

export interface Jobs {
${members.sort().join('')}}
`;
}

/** The type of a payload, which is an object. It allows every payload that the schema accepts. */
function payloadType(root: object): string {
  let parts = 0;

  function typeOf(schema: unknown, depth: number): string {
    if (schema === false) return 'never';
    if (!isSchema(schema) || depth > MAX_DEPTH || ++parts > MAX_PARTS) return 'unknown';
    const type = written(schema, depth);
    return type.length > MAX_CHARACTERS ? 'unknown' : type;
  }

  function written(schema: Schema, depth: number): string {
    if (typeof schema.$ref === 'string') return typeOf(resolve(root, schema.$ref), depth + 1);
    const all = listOf(schema.allOf).map((one) => typeOf(one, depth + 1));
    for (const choices of [schema.anyOf, schema.oneOf]) {
      const some = listOf(choices).map((one) => typeOf(one, depth + 1));
      if (some.length > 0) all.push(union(some));
    }
    const type = intersection([ownType(schema, depth), ...all]);
    return schema.nullable === true ? union([type, 'null']) : type;
  }

  /** The type that the keywords of the schema itself describe. */
  function ownType(schema: Schema, depth: number): string {
    if ('const' in schema) return literal(schema.const);
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
    const names = Array.isArray(schema.type) ? schema.type : [schema.type];
    return union(names.map((name) => named(name, schema, depth)));
  }

  function named(name: unknown, schema: Schema, depth: number): string {
    if (name === 'string' || name === 'boolean' || name === 'null') return name;
    if (name === 'number' || name === 'integer') return 'number';
    if (name === 'array') return isSchema(schema.items) ? `Array<${typeOf(schema.items, depth + 1)}>` : 'unknown[]';
    const isObject = name === 'object' || (name === undefined && (schema.properties ?? schema.required) !== undefined);
    return isObject ? fields(schema, depth) : 'unknown';
  }

  function fields({ properties, required, additionalProperties: others, patternProperties }: Schema, depth: number) {
    const known = new Map(isSchema(properties) ? Object.entries(properties) : []);
    for (const name of listOf(required)) if (typeof name === 'string' && !known.has(name)) known.set(name, true);
    if (known.size === 0) return isSchema(others) ? `Record<string, ${typeOf(others, depth + 1)}>` : ANY_OBJECT;
    const margin = INDENT.repeat(depth + 1);
    const sorted = [...known].sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = sorted.map(([name, field]) => {
      const mark = listOf(required).includes(name) ? '' : '?';
      return `${comment(field, margin)}${margin}${keyOf(name)}${mark}: ${typeOf(field, depth + 1)};\n`;
    });
    if (others === true || isSchema(others) || patternProperties) lines.push(`${margin}[name: string]: unknown;\n`);
    return `{\n${lines.join('')}${INDENT.repeat(depth)}}`;
  }

  const type = typeOf(root, 1);
  return type === 'unknown' ? 'object' : type;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A part of the same schema, such as `#/$defs/line`. */
function resolve(root: unknown, reference: string): unknown {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  return reference
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (part, name) => (part instanceof Object && Object.hasOwn(part, name) ? Reflect.get(part, name) : undefined),
      root,
    );
}

/** What adds nothing to the other types is left out. */
function intersection(types: readonly string[]): string {
  const [first = 'unknown', ...others] = [...new Set(types)].filter((type) => type !== 'unknown');
  const known = others.length > 0 && first === ANY_OBJECT ? others : [first, ...others];
  if (known.length === 1) return known.join('');
  return known.map((type) => `(${type})`).join(' & ');
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  return different.includes('unknown') ? 'unknown' : different.join(' | ') || 'never';
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : textOf(value);
}

function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : textOf(name);
}

/** JSON without characters that end a line or change its direction. */
function textOf(value: unknown): string {
  return printable(JSON.stringify(value)).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);
}

/** The description of a field. It neither ends the comment nor gives the compiler an instruction. */
function comment(schema: unknown, margin: string): string {
  const { description } = isSchema(schema) ? schema : {};
  if (typeof description !== 'string') return '';
  const line = printable(description.slice(0, MAX_DESCRIPTION).replace(/[\s\p{Cs}]+/gu, ' ')).replace(/^[\s/*@]+/, '');
  return line === '' ? '' : `${margin}/** ${line.replaceAll('*/', '*\\/')} */\n`;
}
