import { pathText } from './path-text.js';

/** How many are returned at most. */
const MAX_FOUND = 20;
/** Integers with at most so many digits are exact. */
const EXACT_DIGITS = 15;

/**
 * Returns the paths of the integers in valid JSON that JSON.parse changes, because they are beyond 2^53 and not representable: at most
 * 20. Takes one pass over a text that has a run of digits that long, and otherwise one search.
 */
export function roundedIntegers(json: string): string[] {
  return /\d{16}/.test(json) ? search(json) : [];
}

function search(json: string): string[] {
  const found: string[] = [];
  /** For each open list the index, and for each open object the name as written, with its quotes. */
  const path: (number | string)[] = [];
  for (let at = 0; at < json.length && found.length < MAX_FOUND; at++) {
    const char = json[at] ?? '';
    const top = path.length - 1;
    const step = path[top];
    if (char === '"') {
      const end = endOfString(json, at);
      // A value overwrites the name that it belongs to, which no integer follows.
      if (typeof step === 'string') path[top] = json.slice(at, end);
      at = end - 1;
    } else if (char === '[') path.push(0);
    else if (char === '{') path.push('""');
    else if (char === ']' || char === '}') path.pop();
    else if (char === ',' && typeof step === 'number') path[top] = step + 1;
    else if (char === '-' || (char >= '0' && char <= '9')) {
      const end = endOfNumber(json, at);
      if (end - at > EXACT_DIGITS && isRounded(json.slice(at, end))) found.push(pathTo(path));
      at = end - 1;
    }
  }
  return found;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  while (NUMBER.has(json[at] ?? '')) at++;
  return at;
}

const NUMBER: ReadonlySet<string> = new Set('0123456789.eE+-');

/** An infinite number is not rounded: it is rejected later, like that of `1e999`. */
function isRounded(literal: string): boolean {
  const value = /^-?\d+$/.test(literal) ? Number(literal) : Number.NaN;
  return Number.isFinite(value) && BigInt(literal) !== BigInt(value);
}

/** The steps in the middle of a deep path are not shown. */
const SHOWN_STEPS = 200;

function pathTo(path: readonly (number | string)[]): string {
  const shown = path.length > 2 * SHOWN_STEPS ? [...path.slice(0, SHOWN_STEPS), ...path.slice(-SHOWN_STEPS)] : path;
  return pathText(shown.map(toStep));
}

/** The name without its quotes and escapes. */
function toStep(step: number | string): number | string {
  // The cast: a quoted name is a JSON string.
  return typeof step === 'number' ? step : (JSON.parse(step) as string);
}
