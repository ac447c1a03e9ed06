/** The words of texts, and how the words of a search match them. Pure: searches and their index use the same functions. */

/** Longer texts are cut before they are normalized. */
const MAX_TEXT_LENGTH = 1_000;
/** Words of one entry. Further ones are not found. */
const MAX_WORDS = 200;

const FOLDED: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', ı: 'i' };

/** A text without case and accents. */
export function fold(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßøłđæı]/g, (letter) => FOLDED[letter] ?? letter)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

/** The words of a folded text: its letters, digits and `_`, split at everything else. */
function split(folded: string): string[] {
  return folded.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** What a search finds an entry by. */
export interface Words {
  /** The values as a whole, folded. */
  wholes: ReadonlySet<string>;
  /** Their words, and the values themselves. */
  words: readonly string[];
}

export function wordsOf(values: readonly string[]): Words {
  const wholes = new Set(values.map(fold).filter((whole) => whole !== ''));
  const words = new Set(wholes);
  for (const whole of wholes) for (const word of split(whole)) words.add(word);
  return { wholes, words: [...words].slice(0, MAX_WORDS) };
}

/** A search, as it is compared with entries. */
export interface SearchQuery {
  /** The whole text, folded. */
  whole: string;
  words: readonly string[];
  /** The text as one number, without separators and leading zeros of a country code; null: it is none. */
  number: string | null;
}

/** Null: nothing is left of the text, so that it matches nothing. */
export function parseSearch(text: string): SearchQuery | null {
  const whole = fold(text);
  if (whole === '') return null;
  const words = split(whole);
  return { whole, words: words.length > 0 ? [...new Set(words)] : [whole], number: toNumber(whole) };
}

function toNumber(whole: string): string | null {
  if (!/^[\d\s+().[\]\p{Pd}]+$/u.test(whole)) return null;
  const digits = whole.replace(/\D+/g, '').replace(/^00/, '');
  return digits === '' || digits === whole ? null : digits;
}

/** Whether each word of the search, or its number, begins a word of the entry. */
export function matches({ words, number }: SearchQuery, entry: Pick<Words, 'words'>): boolean {
  const begins = (beginning: string) => entry.words.some((word) => word.startsWith(beginning));
  return words.every(begins) || (number !== null && begins(number));
}

/** Whether a search matches a text: all words of the text count, and nothing else. A search without words matches none. */
export function matcherOf(search: string): (text: string) => boolean {
  const query = parseSearch(search);
  return (text) => query !== null && matches(query, { words: split(fold(text)) });
}

/** Whether a folded value is what was searched for. */
export function equals({ whole, number }: SearchQuery, value: string): boolean {
  return value === whole || value === `+${whole}` || (number !== null && (value === number || value === `+${number}`));
}

/** Longer words are indexed by their beginnings. */
const INDEXED_LENGTH = 64;
/** The index looks up at most this many words of a search; what it finds is compared with all of them. */
const MAX_LOOKUPS = 4;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UUID_BEGINNING = /^[0-9a-f]{8}-/;
const isNumber = (word: string) => /^\d+$/.test(word);
/** The ids of the jobs of about a minute begin with the same characters. */
const MINUTE_LENGTH = 8;

/** Comes before whole values in the index, and is part of no word. */
const WHOLE = '=';

/**
 * The words by which the index has an entry: those of its names and values, and its values as a whole, so that an entry is found that equals a
 * search although many others match it. A UUID is one word, because searches begin with its beginning. `key`: an id that begins
 * with the time of its creation, and by which the entry can be found without the index, too.
 */
export function indexedWords(id: string, values: readonly string[], key: string): string[] {
  const { wholes } = wordsOf(values);
  const words = new Set<string>();
  for (const whole of [fold(id), ...wholes]) {
    if (whole === key) words.add(whole.slice(0, MINUTE_LENGTH));
    else for (const word of UUID.test(whole) ? [whole] : split(whole)) words.add(indexed(word));
  }
  for (const whole of wholes) words.add(indexed(WHOLE + whole));
  return [...words].slice(0, MAX_WORDS);
}

/** What to look up in the index: entries that have these words, or words with each of these beginnings. */
export interface Lookup {
  words: readonly string[];
  isExact: boolean;
}

/** The lookups of a search, one after the other: the best matches first. */
export function lookupsOf({ whole, words, number }: SearchQuery): Lookup[] {
  const numbers = number === null ? [] : [number];
  const equal = [whole, ...numbers].flatMap((value) => (isNumber(value) ? [value, `+${value}`] : [value]));
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, MAX_LOOKUPS);
  const beginnings = words[0] === whole && split(whole).length === 0 ? [WHOLE + whole] : longest;
  return [
    ...equal.map((value) => ({ words: [indexed(WHOLE + value)], isExact: true })),
    ...(UUID_BEGINNING.test(whole) ? [{ words: [whole], isExact: false }] : []),
    ...[beginnings, ...numbers.map((value) => [value])].map((all) => ({ words: all.map(indexed), isExact: false })),
  ];
}

function indexed(word: string): string {
  return word.slice(0, INDEXED_LENGTH).toWellFormed();
}
