import { expect, test } from 'vitest';
import { matcherOf, wordsOf } from './words.js';

test('words have neither case nor accents, and are split at everything but letters, digits and underscores', () => {
  expect(wordsOf('Überweisung: Straße_7, İĞNE – Ærø & Łódź')).toEqual([
    'uberweisung',
    'strasse_7',
    'igne',
    'aero',
    'lodz',
  ]);
});

test.each([
  ['INVOICE', true],
  ['invo 42', true],
  ['42 invoice', true],
  ['voice', false],
  ['invoice 43', false],
  ['%', false],
  ['', false],
])('a text matches if every word of the query %j begins one of its words', (query, matches) => {
  expect(matcherOf(query)('Your invoice no. 421')).toBe(matches);
});
