const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', ı: 'i' };

/** The words of a text, without case and accents. The caller limits the length of the text. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßøłđæı]/g, (letter) => LETTERS[letter] ?? letter);
  return plain.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '');
}

/** Whether every word of a query begins a word of the text. A query without words matches nothing. */
export function matcherOf(query: string): (text: string) => boolean {
  const wanted = wordsOf(query);
  return (text) => {
    const words = wanted.length === 0 ? [] : wordsOf(text);
    return words.length > 0 && wanted.every((beginning) => words.some((word) => word.startsWith(beginning)));
  };
}
