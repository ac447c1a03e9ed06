import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '@jobline/contracts';
import type { Page, TimeCursor } from '@jobline/db';
import Joi, { type NumberSchema, type ObjectSchema, type SchemaMap, type StringSchema } from 'joi';

/**
 * Pages of lists: a limit, a cursor, and the headers that lead to the next page. Cursors are opaque to callers and are
 * validated like any other input.
 */

/** The part of a query that selects a page. */
export interface PageQuery {
  limit: number;
  cursor?: TimeCursor;
}

const TIME_CURSOR = /^(\d{1,14})\.(.+)$/s;
const MAX_BIGINT = 2n ** 63n - 1n;

/** The query of a list by time whose ids match `idPattern`. `F`: the filters of the list. */
export function pageQuery<F extends object = object>(
  idPattern: RegExp,
  filters: SchemaMap = {},
): ObjectSchema<PageQuery & F> {
  return Joi.object({ ...filters, limit: limit(), cursor: timeCursor(idPattern) });
}

/** The response for a page: the views of its rows, and the headers that lead to the next page. */
export function pageAnswer<Row, View>(
  url: string,
  { items, next }: Page<Row>,
  toView: (row: Row) => View,
): { status: 200; body: View[]; headers: Record<string, string> } {
  return {
    status: 200,
    body: items.map((row) => toView(row)),
    headers: nextPageHeaders(url, next && encodeTimeCursor(next)),
  };
}

export function limit(): NumberSchema {
  return Joi.number().integer().min(1).max(MAX_PAGE_LIMIT).default(DEFAULT_PAGE_LIMIT);
}

function timeCursor(idPattern: RegExp): StringSchema {
  return cursor((text) => {
    const [, ms, id] = TIME_CURSOR.exec(text) ?? [];
    return ms !== undefined && id !== undefined && idPattern.test(id) ? { createdAt: new Date(Number(ms)), id } : null;
  }).description('The `X-Next-Cursor` of the previous page.');
}

/** The cursor of a list that is ordered by sequence number. */
export function sequenceCursor(): StringSchema {
  return cursor((text) => {
    const id = /^\d{1,19}$/.test(text) ? BigInt(text) : null;
    return id !== null && id <= MAX_BIGINT ? id : null;
  });
}

export function encodeSequenceCursor(id: bigint): string {
  return encode(String(id));
}

function encodeTimeCursor({ createdAt, id }: TimeCursor): string {
  return encode(`${createdAt.getTime()}.${id}`);
}

/** `Link` and `X-Next-Cursor`; none on the last page. The link keeps every filter of the current page. */
export function nextPageHeaders(url: string, cursorText: string | null): Record<string, string> {
  if (cursorText === null) return {};
  const [path] = url.split('?', 1);
  const parameters = new URLSearchParams(url.slice(path?.length));
  parameters.set('cursor', cursorText);
  return { Link: `<${path}?${parameters}>; rel="next"`, 'X-Next-Cursor': cursorText };
}

function cursor(decode: (text: string) => unknown): StringSchema {
  return Joi.string().custom((encoded: string, { message }) => {
    const text = Buffer.from(encoded, 'base64url').toString();
    // Accept only our own encoding: base64 decoders skip characters that they do not know.
    const value = encode(text) === encoded ? decode(text) : null;
    return value ?? message({ custom: '{{#label}} is not a cursor of this list' });
  });
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
