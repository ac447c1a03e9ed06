import { isObject } from '../../format/index.js';

/** Returns the error message for a payload that is not a JSON object; null if it is valid. */
export function payloadError(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? null : 'Must be a JSON object: { … }.';
  } catch (error) {
    return `Invalid JSON${locationOf(error, text)}.`;
  }
}

/** Parses a payload that was checked before. */
export function payloadOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}

/** Reads the location of a syntax error. Chromium reports a position or a line, Firefox a line and a column. */
function locationOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const location = /line (\d+) column (\d+)/.exec(message);
  if (location) return `: see line ${location[1]}, column ${location[2]}`;
  const position = /position (\d+)/.exec(message);
  if (position) {
    const before = text.slice(0, Number(position[1])).split('\n');
    return `: see line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  }
  return /end of/i.test(message) ? ': it is incomplete' : '';
}
