import { ABOUT_LENGTH, type AboutField, type JsonObject } from '@jobline/contracts';
import { formsOf } from './email-address.js';
import { createCatalogue } from './jobs/index.js';

/** A recipient, phone or host that the payload of a job names, in lower case, and the field that names it. */
export interface About {
  field: AboutField;
  value: string;
}

/** Only built-in types say what their payloads are about. */
const BUILT_IN = createCatalogue();
/** The types whose jobs are about something. */
export const ABOUT_TYPES: readonly string[] = [...BUILT_IN.values()].flatMap(({ type, about }) =>
  about ? [type] : [],
);

/**
 * Whom or what a job of a built-in type is about, the copies of an email last. Leaves out values that are no text, such as references
 * to the results of other jobs.
 */
export function aboutsOf(type: string, payload: JsonObject): About[] {
  // The cast: the keys of the object.
  const named = Object.entries(BUILT_IN.get(type)?.about?.(payload) ?? {}) as [AboutField, unknown][];
  return named.flatMap(([field, values]) =>
    [values].flat().flatMap((value) => (isName(value) ? [{ field, value: value.trim().toLowerCase() }] : [])),
  );
}

function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > ABOUT_LENGTH) return false;
  return value.isWellFormed() && !value.includes('\0') && value.trim() !== '';
}

/** The subject of a job of one of these types; null: it has none. */
export function subjectOf(type: string, payload: JsonObject): string | null {
  const subject = BUILT_IN.get(type)?.subject?.(payload);
  return typeof subject === 'string' ? subject : null;
}

/** The forms that the same recipient, phone or host may have in `About`, all in lower case. */
export function addressForms(address: string): string[] {
  if (address.includes('@')) return formsOf(address);
  const digits = address.replace(/^\+/, '');
  return /^\d+$/.test(digits) ? [digits, `+${digits}`] : [address.toLowerCase()];
}
