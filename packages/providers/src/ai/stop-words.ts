import * as lists from 'stopword';

/**
 * The words of 64 languages that say nothing by themselves. All of them at once: a text need not say in which language
 * it is, and hardly a word that matters in one is empty in another.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  Object.values(lists)
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((word) => word.normalize('NFKC').toLowerCase()),
);

/** Of a word in lower case. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
