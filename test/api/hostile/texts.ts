/** Texts that cost far more than their length where a rule, a pattern or a normalization is careless. */

/** In characters; the longest is 400 kB in UTF-8. */
const LENGTH = 200_000;

/** What is repeated, and what stands before and behind it where a pattern would not begin or fail without. */
const PATTERNS: Readonly<Record<string, { repeated: string; before?: string; behind?: string }>> = {
  spaces: { repeated: ' ' },
  'spaces between letters': { before: 'a', repeated: ' ', behind: 'a' },
  'combining marks': { repeated: '\u0301\u0323' },
  'combining marks in an address': { before: 'a', repeated: '\u0323\u0301', behind: '@example.com' },
  dots: { repeated: '.' },
  'labels of a domain': { before: 'a@', repeated: 'a.' },
  ats: { repeated: '@' },
  'angle brackets': { repeated: '<' },
  'an element that does not end': { before: '<a =', repeated: ' ' },
  braces: { repeated: '{' },
  'quotation marks': { repeated: '"' },
  'a name in quotes that do not end': { before: '"', repeated: '\\"', behind: '<' },
  digits: { repeated: '9' },
  'line breaks': { repeated: '\r\n' },
};

/** Name → text, of this many characters. */
export function hostileTexts(length = LENGTH): [string, string][] {
  return Object.entries(PATTERNS).map(([name, { before = '', repeated, behind = '' }]) => [
    name,
    before + repeated.repeat(Math.floor(length / repeated.length)) + behind,
  ]);
}
