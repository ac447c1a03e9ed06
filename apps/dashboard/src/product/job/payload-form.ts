import { isObject } from '../../format/index.js';
import { payloadError, payloadOf } from './payload.js';

export type Scalar = string | number | boolean;

export interface PayloadInput {
  name: string;
  kind: 'text' | 'number' | 'choice';
  /** For a choice. */
  choices: readonly Scalar[];
  required: boolean;
  description: string | undefined;
}

const MAX_INPUTS = 20;
/** With one of them, a schema says more than which fields there are. */
const COMPOSED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'patternProperties'];

/** The inputs for a flat schema: an object whose fields are texts, numbers, booleans or one of a few values. Else null. */
export function inputsOf(schema: unknown): PayloadInput[] | null {
  if (!isObject(schema) || !isObject(schema.properties) || COMPOSED.some((keyword) => keyword in schema)) return null;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties);
  if (fields.length === 0 || fields.length > MAX_INPUTS) return null;
  const inputs = fields.map(([name, field]) => inputOf(name, field, required.includes(name)));
  return inputs.every((input) => input !== null) ? inputs : null;
}

function inputOf(name: string, field: unknown, required: boolean): PayloadInput | null {
  if (!isObject(field) || COMPOSED.some((keyword) => keyword in field)) return null;
  const { type, enum: values, description } = field;
  const input = { name, required, choices: [], description: typeof description === 'string' ? description : undefined };
  if (values !== undefined) {
    const choices = Array.isArray(values) ? values.filter(isScalar) : [];
    const isWhole = Array.isArray(values) && choices.length === values.length && choices.length > 0;
    return isWhole ? { ...input, kind: 'choice', choices } : null;
  }
  if (type === 'string') return { ...input, kind: 'text' };
  if (type === 'number' || type === 'integer') return { ...input, kind: 'number' };
  return type === 'boolean' ? { ...input, kind: 'choice', choices: [true, false] } : null;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The values of the inputs. Null if the payload has anything that the inputs would not show. */
export function valuesOf(inputs: readonly PayloadInput[], text: string): ReadonlyMap<string, Scalar> | null {
  if (payloadError(text) !== null) return null;
  const values = new Map<string, Scalar>();
  for (const [name, value] of Object.entries(payloadOf(text))) {
    const input = inputs.find((one) => one.name === name);
    if (!input || !isScalar(value)) return null;
    if (input.kind === 'choice' ? !input.choices.includes(value) : typeof value === 'boolean') return null;
    values.set(name, value);
  }
  return values;
}

/** The payload with another value of one field; without the field, if the value is undefined. */
export function withValue(text: string, name: string, value: Scalar | undefined): string {
  const entries = Object.entries(payloadOf(text));
  const place = entries.findIndex(([other]) => other === name);
  const entry: [string, Scalar][] = value === undefined ? [] : [[name, value]];
  if (place === -1) entries.push(...entry);
  else entries.splice(place, 1, ...entry);
  return JSON.stringify(Object.fromEntries(entries), null, 2);
}

/** What was typed, as a value. A text that is no number stays a text, and the API says what is wrong. */
export function typedValue({ kind }: PayloadInput, typed: string): Scalar | undefined {
  if (typed === '') return undefined;
  const number = Number(typed);
  return kind === 'number' && typed.trim() !== '' && Number.isFinite(number) ? number : typed;
}
