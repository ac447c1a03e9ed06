/** Longer than that, a value is shown in part; copying always takes all of it. */
export const SHOWN_SIGNS = 100_000;

/** A value as indented JSON. What JSON cannot hold (a cycle, a bigint) is named instead of thrown. */
export function prettyJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? 'undefined';
  } catch (error) {
    return `Cannot be shown as JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The same on one line. */
export function rawJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'undefined';
  } catch (error) {
    return `Cannot be shown as JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export type JsonPart = 'key' | 'text' | 'number' | 'word' | 'sign';

const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)/g;

/** JSON text in pieces to colour; joined they are the text again. */
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
