import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '@jobline/contracts';
import Joi, { type NumberSchema, type StringSchema } from 'joi';

/** Pages of lists: a limit, a cursor and the headers that lead on. Cursors are opaque to callers, and checked like any other input. */

/** Where a page of a list by time ends. */
export interface TimeCursor {
  createdAt: Date;
  id: string;
}

const TIME_CURSOR = /^(\d{1,14})\.(.+)$/s;
const MAX_BIGINT = 2n ** 63n - 1n;

export function limit(): NumberSchema {
  return Joi.number().integer().min(1).max(MAX_PAGE_LIMIT).default(DEFAULT_PAGE_LIMIT);
}

/** The cursor of a list by time whose ids look like `idPattern`. */
export function timeCursor(idPattern: RegExp): StringSchema {
  return cursor((text) => {
    const [, ms, id] = TIME_CURSOR.exec(text) ?? [];
    return ms !== undefined && id !== undefined && idPattern.test(id) ? { createdAt: new Date(Number(ms)), id } : null;
  }).description('The `X-Next-Cursor` of the page before.');
}

export function encodeTimeCursor({ createdAt, id }: TimeCursor): string {
  return encode(`${createdAt.getTime()}.${id}`);
}

/** The cursor of a list by sequence number. */
export function sequenceCursor(): StringSchema {
  return cursor((text) => {
    const id = /^\d{1,19}$/.test(text) ? BigInt(text) : null;
    return id !== null && id <= MAX_BIGINT ? id : null;
  });
}

export function encodeSequenceCursor(id: bigint): string {
  return encode(String(id));
}

/** `Link` and `X-Next-Cursor`; none on the last page. The link keeps every filter of the page it is on. */
export function nextPage(url: string, cursorText: string | null): Record<string, string> {
  if (cursorText === null) return {};
  const [path] = url.split('?', 1);
  const parameters = new URLSearchParams(url.slice(path?.length));
  parameters.set('cursor', cursorText);
  return { Link: `<${path}?${parameters}>; rel="next"`, 'X-Next-Cursor': cursorText };
}

function cursor(decode: (text: string) => unknown): StringSchema {
  return Joi.string().custom((encoded: string, { message }) => {
    const text = Buffer.from(encoded, 'base64url').toString();
    // Only what was encoded here: base64 readers skip over what they do not know.
    const value = encode(text) === encoded ? decode(text) : null;
    return value ?? message({ custom: '{{#label}} is not a cursor that this list gave out' });
  });
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
