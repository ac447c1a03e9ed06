import type { Json, JsonObject } from '@jobline/contracts';
import type { Handler } from './define-handler.js';

const TARGET = { target: 'draft-2020-12' } as const;

/**
 * The JSON Schema (draft 2020-12) of a handler's payload, or null if it has none. Submissions are checked against it. So for a
 * Joi schema it accepts every payload that the handler accepts. Other libraries convert their schemas themselves, and may
 * throw.
 */
export function payloadJsonSchema({ payload, schema }: Pick<Handler, 'payload' | 'schema'>): JsonObject | null {
  // The cast: Joi's own type of a description does not say what it contains.
  if (payload) return convert(payload.describe() as Described);
  const converter = schema?.['~standard'].jsonSchema;
  // The cast: a JSON Schema is JSON.
  return converter ? (converter.input(TARGET) as JsonObject) : null;
}

/** The part of Joi's description of a schema that is used here. */
interface Described {
  type?: string;
  flags?: {
    description?: string;
    presence?: string;
    match?: string;
    only?: boolean;
    insensitive?: boolean;
    single?: boolean;
    empty?: unknown;
    failover?: unknown;
  };
  /** Values that are valid whatever the rules say. */
  allow?: unknown[];
  rules?: Rule[];
  keys?: Record<string, Described>;
  items?: Described[];
  ordered?: unknown;
  matches?: { schema?: Described }[];
  whens?: unknown;
  preferences?: unknown;
  renames?: unknown;
  shared?: unknown;
}

interface Rule {
  name: string;
  /** Whether it only warns. */
  warn?: boolean;
  args?: { limit?: unknown; encoding?: unknown; sign?: string; regex?: unknown; options?: { invert?: boolean } };
}

/**
 * Joi's own conversion is stricter than Joi in many cases: it leaves out the flags of patterns, and values that are allowed in
 * addition. So this one leaves out every rule that JSON Schema does not express exactly.
 */
function convert(joi: Described): JsonObject {
  const about = { ...(joi.flags?.description && { description: joi.flags.description }) };
  if (isVague(joi)) return about;
  const values: unknown[] = joi.allow ?? [];
  if (!values.every(isScalar)) return about;
  if (joi.flags?.only) return { ...about, enum: values };
  const rules = ofType(joi);
  if (values.length === 0 || Object.keys(rules).length === 0) return { ...about, ...rules };
  return { ...about, anyOf: [rules, { enum: values }] };
}

/** Whether the schema accepts values that its type does not show: others in some cases, or values that it converts. */
function isVague({ whens, preferences, renames, shared, flags = {} }: Described): boolean {
  const { empty, failover, insensitive, only, single, presence } = flags;
  const isOther = empty !== undefined || failover !== undefined || single || presence === 'forbidden';
  return Boolean(whens || preferences || renames || shared || isOther || (insensitive && only));
}

function isScalar(value: unknown): value is Json {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

function ofType(joi: Described): JsonObject {
  switch (joi.type) {
    case 'object':
      return { type: 'object', ...propertiesOf(joi), ...limitsOf(joi, 'Properties') };
    case 'array':
      return { type: 'array', ...itemsOf(joi), ...limitsOf(joi, 'Items') };
    case 'string':
      return { type: 'string', ...lengthsOf(joi), ...patternsOf(joi), ...formatOf(joi) };
    case 'number':
      return numberOf(joi);
    case 'boolean':
      return { type: 'boolean' };
    case 'alternatives':
      return alternativesOf(joi);
    default:
      return {};
  }
}

function propertiesOf({ keys = {} }: Described): JsonObject {
  const entries = Object.entries(keys);
  if (entries.length === 0) return {};
  const required = entries.filter(([, key]) => key.flags?.presence === 'required' && !key.whens).map(([name]) => name);
  return {
    properties: Object.fromEntries(entries.map(([name, key]) => [name, convert(key)])),
    ...(required.length > 0 && { required }),
  };
}

/** Items that must occur, or must not, and positions are left out. */
function itemsOf({ items = [], ordered }: Described): JsonObject {
  const [first, ...others] = items;
  const isOther = ({ flags }: Described) => flags?.presence !== undefined;
  if (!first || ordered || items.some(isOther)) return {};
  return { items: others.length === 0 ? convert(first) : { anyOf: [first, ...others].map(convert) } };
}

/** For `Items`: `minItems` and `maxItems`. */
function limitsOf(joi: Described, what: string): JsonObject {
  const { length, min = length, max = length } = numbersOf(joi);
  return { ...(min !== undefined && { [`min${what}`]: min }), ...(max !== undefined && { [`max${what}`]: max }) };
}

/** An empty text is invalid, unless another rule allows it. */
function lengthsOf(joi: Described): JsonObject {
  const limits = limitsOf(joi, 'Length');
  return { ...(limits.minLength === undefined && { minLength: 1 }), ...limits };
}

/** Rules that the check of submissions leaves to the worker, and that the schema only names. */
const FORMATS: readonly [rule: string, format: string][] = [
  ['email', 'email'],
  ['guid', 'uuid'],
  ['hostname', 'hostname'],
  ['uri', 'uri'],
];

function formatOf(joi: Described): JsonObject {
  const [, format] = FORMATS.find(([rule]) => rulesOf(joi, rule).length > 0) ?? [];
  return format === undefined ? {} : { format };
}

/** Patterns without flags. Others have no counterpart. */
function patternsOf(joi: Described): JsonObject {
  const patterns = rulesOf(joi, 'pattern').flatMap(({ args = {} }) => {
    const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(String(args.regex)) ?? [];
    const isPlain = source !== undefined && flags === '' && !args.options?.invert;
    return isPlain && isUnicode(source) ? [{ pattern: source }] : [];
  });
  const [only, ...others] = patterns;
  return others.length === 0 ? { ...only } : { allOf: patterns };
}

/** Whether it is a pattern of JSON Schema, whose syntax is that of the flag `u`. */
function isUnicode(source: string): boolean {
  try {
    // eslint-disable-next-line no-restricted-syntax -- the pattern of a handler, which the operator wrote
    return new RegExp(source, 'u').source === source;
  } catch {
    return false; // the syntax of older patterns
  }
}

function numberOf(joi: Described): JsonObject {
  const { min, max, greater, less } = numbersOf(joi);
  const isPort = rulesOf(joi, 'port').length > 0;
  const [sign] = rulesOf(joi, 'sign');
  const bounds = {
    minimum: min ?? (isPort ? 0 : undefined),
    maximum: max ?? (isPort ? 65_535 : undefined),
    exclusiveMinimum: greater ?? (sign?.args?.sign === 'positive' ? 0 : undefined),
    exclusiveMaximum: less ?? (sign?.args?.sign === 'negative' ? 0 : undefined),
  };
  const given = Object.entries(bounds).flatMap(([name, limit]) =>
    limit === undefined ? [] : [[name, limit] as const],
  );
  const isInteger = isPort || rulesOf(joi, 'integer').length > 0;
  return { type: isInteger ? 'integer' : 'number', ...Object.fromEntries(given) };
}

function alternativesOf({ matches = [], flags }: Described): JsonObject {
  const schemas = matches.map(({ schema }) => schema);
  const known = schemas.filter((schema) => schema !== undefined);
  if (known.length < schemas.length || known.length === 0) return {};
  return { [flags?.match === 'all' ? 'allOf' : 'anyOf']: known.map(convert) };
}

/** The rules of a name, without those that only warn. */
function rulesOf({ rules = [] }: Described, name: string): Rule[] {
  return rules.filter((rule) => rule.name === name && !rule.warn);
}

type Limit = 'min' | 'max' | 'length' | 'greater' | 'less';
const LIMITS: readonly Limit[] = ['min', 'max', 'length', 'greater', 'less'];

/** The limits that are numbers: not those in bytes, and not those in other fields. */
function numbersOf(joi: Described): Partial<Record<Limit, number>> {
  const found: Partial<Record<Limit, number>> = {};
  for (const name of LIMITS) {
    for (const { args = {} } of rulesOf(joi, name)) {
      const { limit, encoding } = args;
      if (typeof limit === 'number' && Number.isFinite(limit) && encoding === undefined) found[name] = limit;
    }
  }
  return found;
}
