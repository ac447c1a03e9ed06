import { describe, expect, it } from 'vitest';
import { equals, fold, indexedWords, lookupsOf, matcherOf, matches, parseSearch, wordsOf } from './words.js';

const finds = (text: string, ...values: string[]) => {
  const query = parseSearch(text);
  return query !== null && matches(query, wordsOf(values));
};

it.each([
  ['Ürün', 'urun'],
  ['STRAẞE straße', 'strasse strasse'],
  ['Øre Łódź Đorđe Æsir', 'ore lodz dorde aesir'],
  ['İstanbul ILIK ılık', 'istanbul ilik ilik'],
  ['ﬁne ①', 'fine 1'],
  [' a\tb\0 ', 'a b'],
])('%j is folded to %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

describe('a search finds', () => {
  it.each([
    ['ann', 'Ann.Smith@example.com'],
    ['smi exa', 'ann.smith@example.com'],
    ['ann.smith@example.com', 'Ann.Smith@Example.com'],
    ['ORDER-10', 'order-1001'],
    ['1001', 'order-1001'],
    ['_x', '_x1'],
    ['%%', '%%%'],
    ['+254700', '254700000001'],
    ['254700', '+254700000001'],
    ['0254', '0254'],
    ['00254 700-000.001', '+254700000001'],
    ['(254) 700 000', '+254700000001'],
    ['+254 700 000 001', '+254700000001'],
  ])('%j in %j', (text, value) => {
    expect(finds(text, value)).toBe(true);
  });

  it('an entry whose words come from several values', () => {
    expect(finds('invoice acme', 'Invoice 7', 'ACME GmbH')).toBe(true);
  });
});

describe('a search does not find', () => {
  it.each([
    ['nn', 'ann'],
    ['ann bob', 'ann'],
    ['a%b', 'axb'],
    ['a_b', 'axb'],
    ['%%', 'anything'],
    ['', 'anything'],
    ['\u0301\u0302', 'anything'],
  ])('%j in %j', (text, value) => {
    expect(finds(text, value)).toBe(false);
  });
});

it.each([
  ['INVOICE', true],
  ['invo 42', true],
  ['42 invoice', true],
  ['voice', false],
  ['invoice 43', false],
  ['%', false],
  ['', false],
])('a text matches if every word of the search %j begins one of its words: %s', (search, isMatch) => {
  expect(matcherOf(search)('Your invoice no. 421')).toBe(isMatch);
});

it.each([
  ['Invoice 7', 'invoice 7', true],
  ['254700000001', '+254700000001', true],
  ['00254 700 000 001', '+254700000001', true],
  ['invoice', 'invoice 7', false],
])('whether %j equals %j: %s', (text, value, isEqual) => {
  const query = parseSearch(text);

  expect(query && equals(query, value)).toBe(isEqual);
});

it('a very long text is cut before its words are taken', () => {
  expect(wordsOf([`${'a '.repeat(500)}b`]).words).not.toContain('b');
});

const UUID = '01a1fe9f-4bb0-76dd-8eba-02455de81017';

it('the index has the words of an entry, its values as a whole, and a UUID as one word', () => {
  expect(indexedWords('order-7', ['VIP', 'a.b@c.example', UUID], 'x').sort()).toEqual(
    ['7', '=a.b@c.example', '=vip', `=${UUID}`, UUID, 'a', 'b', 'c', 'example', 'order', 'vip'].sort(),
  );
  expect(indexedWords(UUID, [], UUID)).toEqual(['01a1fe9f']);
  expect(indexedWords('x'.repeat(128), [], 'y')).toEqual(['x'.repeat(64)]);
});

it.each([
  ['vip', ['=vip', 'vip~']],
  ['a b c d e', ['=a b c d e', 'a~ b~ c~ d~']],
  ['00254 7', ['=00254 7', '=2547', '=+2547', '00254~ 7~', '2547~']],
  ['2547', ['=2547', '=+2547', '2547~']],
  ['%%', ['=%%', '=%%~']],
  ['01a1fe9f-4b', ['=01a1fe9f-4b', '01a1fe9f-4b~', '01a1fe9f~ 4b~']],
])('%j looks up %j: equal values, then beginnings (~)', (text, lookups) => {
  const query = parseSearch(text);
  const all = query ? lookupsOf(query) : [];

  expect(all.map(({ words, isExact }) => words.map((word) => word + (isExact ? '' : '~')).join(' '))).toEqual(lookups);
});
