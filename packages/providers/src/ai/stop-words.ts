import * as lists from 'stopword';

/**
 * The stop words of 64 languages, all at once. The language of a text need not be known, and hardly any significant
 * word of one language is a stop word of another.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  Object.values(lists)
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((word) => word.normalize('NFKC').toLowerCase()),
);

/** Expects a word in lower case. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
