/** Texts that cost far more than their length if a rule, a pattern or a normalization is careless. */

const SIZE_BYTES = 200_000;

/** The repeated text, and the text before and behind it that a pattern needs to begin or to fail. */
const PATTERNS: Readonly<Record<string, { repeated: string; before?: string; behind?: string }>> = {
  spaces: { repeated: ' ' },
  'spaces in an element that does not end': { before: '<a =', repeated: ' ', behind: 'a' },
  'combining marks in an address': { before: 'a', repeated: '\u0301\u0323', behind: '@example.com' },
  dots: { repeated: '.' },
  'labels of a domain': { before: 'a@', repeated: 'a.' },
  ats: { repeated: '@' },
  'angle brackets': { repeated: '<' },
  braces: { repeated: '{' },
  'quotation marks': { repeated: '"' },
  digits: { repeated: '9' },
};

/** Name → text, each of about this size in UTF-8. */
export function hostileTexts(sizeBytes = SIZE_BYTES): [string, string][] {
  return Object.entries(PATTERNS).map(([name, { before = '', repeated, behind = '' }]) => [
    name,
    before + repeated.repeat(Math.floor(sizeBytes / Buffer.byteLength(repeated))) + behind,
  ]);
}
