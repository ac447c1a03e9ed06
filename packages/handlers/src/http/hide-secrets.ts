/** A scheme word and what follows it, as in `Bearer abc`. */
const SCHEME = /^\S+\s+(\S.*)$/s;
/** What follows a scheme word is not searched for if it is shorter: it would occur in any text. */
const LEAST_LENGTH = 4;
const HIDDEN = '***';
/** A Latin-1 character is `%C3%A9` in a URL and `\u00e9` in JSON. */
const BYTES_PER_CHARACTER = 6;

/** Replaces secrets in texts that a receiver sent back. */
export interface HideSecrets {
  hide(text: string): string;
  /** How many bytes of a text the longest form of a secret has at most. */
  longestBytes: number;
}

/**
 * Finds the values whole and behind their scheme word: as they are, and as JSON, URLs, forms and base64 write them. A text must be
 * searched before it is cut, because a part of a secret is not found.
 */
export function createHideSecrets(values: readonly string[]): HideSecrets {
  return {
    hide: (text) => (text === '' ? text : allForms(values).reduce(withoutForm, text)),
    longestBytes: BYTES_PER_CHARACTER * Math.max(0, ...values.map((value) => value.length)),
  };
}

/** The longest first. */
function allForms(values: readonly string[]): string[] {
  const parts = values.flatMap((value) => [value, SCHEME.exec(value)?.[1] ?? '']);
  const forms = new Set(parts.filter((part) => part.length >= LEAST_LENGTH).flatMap(formsOf));
  return [...forms].sort((a, b) => b.length - a.length);
}

/** JavaScript's own search may compare a long form at every position of a text that resembles it. */
const LONG = 1_024;
/** The beginning of a long form without which a text is not searched. */
const START = 64;

/** For a long form by Knuth, Morris and Pratt, in one pass over the text. */
function withoutForm(text: string, form: string): string {
  if (form.length <= LONG) return text.replaceAll(form, HIDDEN);
  if (!text.includes(form.slice(0, START))) return text;
  const borders = bordersOf(form);
  let [shown, from, matched] = ['', 0, 0];
  for (let at = 0; at < text.length; at++) {
    matched = extended(form, borders, matched, text.charCodeAt(at));
    if (matched < form.length) continue;
    shown += text.slice(from, at + 1 - form.length) + HIDDEN;
    [from, matched] = [at + 1, 0];
  }
  return shown + text.slice(from);
}

/** For each beginning of the form, the length of its longest end that is a shorter beginning of the form. */
function bordersOf(form: string): Int32Array {
  const borders = new Int32Array(form.length);
  for (let at = 1; at < form.length; at++) {
    borders[at] = extended(form, borders, borders[at - 1] ?? 0, form.charCodeAt(at));
  }
  return borders;
}

/** How much of the form is matched after one more character. */
function extended(form: string, borders: Int32Array, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && form.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
  return form.charCodeAt(length) === code ? length + 1 : length;
}

function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const inUrl = [encodeURI(value), encodeURIComponent(value), new URLSearchParams({ v: value }).toString().slice(2)];
  const bytes = [Buffer.from(value), Buffer.from(value, 'latin1')];
  return [
    value,
    // A header has Latin-1 characters as bytes that are not UTF-8.
    value.replace(/[\x80-\xff]/g, '\ufffd'),
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[\x80-\xff]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
    ...inUrl,
    ...inUrl.map((text) => text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase())),
    ...bytes.flatMap((one) => [one.toString('base64').replaceAll('=', ''), one.toString('base64url')]),
  ];
}
