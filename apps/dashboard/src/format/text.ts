/** Longer values are shown in part. Copying always copies the whole value. */
export const SHOWN_CHARACTERS = 100_000;

/** Formats a value as JSON. If JSON cannot represent it (a cycle, a bigint), the result says so. */
export function jsonText(value: unknown, { indented }: { indented: boolean }): string {
  try {
    return JSON.stringify(value, null, indented ? 2 : 0) ?? 'undefined';
  } catch (error) {
    return `Cannot be shown as JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Whether a parsed JSON value is an object, and not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type JsonPart = 'key' | 'text' | 'number' | 'word' | 'sign';

const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)/g;

/** Splits JSON text into pieces for syntax highlighting. The joined pieces are the original text. */
export function jsonParts(text: string): { part: JsonPart; text: string }[] {
  const parts: { part: JsonPart; text: string }[] = [];
  let end = 0;
  for (const match of text.matchAll(PARTS)) {
    const [whole, string, colon, number] = match;
    if (match.index > end) parts.push({ part: 'sign', text: text.slice(end, match.index) });
    if (string !== undefined) {
      parts.push({ part: colon === undefined ? 'text' : 'key', text: string });
      if (colon !== undefined) parts.push({ part: 'sign', text: colon });
    } else parts.push({ part: number === undefined ? 'word' : 'number', text: whole });
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push({ part: 'sign', text: text.slice(end) });
  return parts;
}

/** Shortens a text in the middle, because ids differ at their ends. `0192f0c1-…-9f3a` becomes `0192f0…9f3a`. */
export function truncateMiddle(text: string, keep = 12): string {
  const characters = Array.from(text);
  if (characters.length <= keep + 1) return text;
  const tail = Math.floor(keep * 0.4);
  return `${characters.slice(0, keep - tail).join('')}…${tail > 0 ? characters.slice(-tail).join('') : ''}`;
}

/** The words in a text that separates them by commas or spaces. */
export function wordsOf(text = ''): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** The fields of `after` that differ, so that a save does not undo what another user has changed meanwhile. */
export function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const old = new Map(Object.entries(before));
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(old.get(name));
  return Object.fromEntries(Object.entries(after).filter(isChanged)) as Partial<T>; // fields of `after`
}
