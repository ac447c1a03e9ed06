/** Values that cost far more than their size if a rule, a pattern or a normalization is careless. */

const SIZE_BYTES = 200_000;
const ITEMS = 300_000;
const NAMES = 60_000;

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

const ITEM_KINDS = { numbers: 1, texts: '*', 'empty lists': [], 'empty objects': {} };

/** Name → list. */
export const HOSTILE_LISTS: readonly [string, readonly unknown[]][] = Object.entries(ITEM_KINDS).map(([name, item]) => [
  name,
  new Array(ITEMS).fill(item),
]);

/** Name → object. */
export const HOSTILE_OBJECTS: readonly [string, object][] = [
  ['unknown names', Object.fromEntries(Array.from({ length: NAMES }, (_, n) => [`a${n}`, 1]))],
];
