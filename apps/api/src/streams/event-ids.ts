import { type EventPosition, LAST_KEY } from '@jobline/db';
import { UUID_PATTERN } from '../http/fields.js';

/**
 * The ids of events. An id is the position after its event, at which `Last-Event-ID` resumes. A log line that changed the
 * status is two events. The id of the first one ends with `-`; a stream that resumes there sends both events again, so
 * that none is missed.
 */

const LINE = /^(0|[1-9]\d{0,18})(-?)$/;
const XID = /^(?:0|[1-9]\d{0,19})$/;
const MAX_ID = 2n ** 63n - 1n;
const MAX_XID = 2n ** 64n - 1n;

/** `<line>`, in the stream of one job. */
export function encodeLine(id: bigint, isWhole = true): string {
  return isWhole ? String(id) : `${id}-`;
}

/** The line after which the stream resumes; null if the text is not an id of a job's stream. */
export function parseLine(text: string): bigint | null {
  const [, digits, half] = LINE.exec(text) ?? [];
  if (digits === undefined) return null;
  const id = half ? BigInt(digits) - 1n : BigInt(digits);
  return id >= 0n && id <= MAX_ID ? id : null;
}

/** `<transaction>.<line>` or `<transaction>.<key of the created job>`, in an organization's stream. */
export function encodePosition({ xid, key, id }: EventPosition, isWhole = true): string {
  return `${xid}.${key === LAST_KEY ? encodeLine(id, isWhole) : key}`;
}

/** Null if the text is not an id of an organization's stream. */
export function parsePosition(text: string): EventPosition | null {
  const [xidText = '', rest = '', ...more] = text.split('.');
  if (!XID.test(xidText) || more.length > 0) return null;
  const xid = BigInt(xidText);
  if (xid > MAX_XID) return null;
  if (UUID_PATTERN.test(rest)) return { xid, key: rest, id: 0n };
  const id = parseLine(rest);
  return id === null ? null : { xid, key: LAST_KEY, id };
}

/** The position directly after an event of an organization. */
export function positionAfter({ xid, jobKey, line }: { xid: bigint; jobKey: string; line: { id: bigint } | null }) {
  return line ? { xid, key: LAST_KEY, id: line.id } : { xid, key: jobKey, id: 0n };
}
