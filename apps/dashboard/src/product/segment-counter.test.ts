import { describe, expect, test } from 'vitest';
import { countSms, toGsm7 } from './segment-counter.js';

describe('segments are code points divided by 160, rounded up, as the service records them', () => {
  test.each([
    ['', 1],
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['😀'.repeat(160), 1],
  ])('case %#', (text, segments) => {
    expect(countSms(text).segments).toBe(segments);
  });
});

describe('the estimated parts of a carrier', () => {
  test.each([
    ['160 GSM-7 characters fit into one part', 'a'.repeat(160), 'GSM-7', 1],
    ['161 GSM-7 characters need two parts', 'a'.repeat(161), 'GSM-7', 2],
    ['306 GSM-7 characters fill two parts', 'a'.repeat(306), 'GSM-7', 2],
    ['307 GSM-7 characters need three parts', 'a'.repeat(307), 'GSM-7', 3],
    ['80 € characters fill one part, because each counts as two', '€'.repeat(80), 'GSM-7', 1],
    ['80 € characters and one more need two parts', `${'€'.repeat(80)}a`, 'GSM-7', 2],
    ['70 UCS-2 characters fit into one part', 'ж'.repeat(70), 'Unicode', 1],
    ['71 UCS-2 characters need two parts', 'ж'.repeat(71), 'Unicode', 2],
    ['35 emoji fill one part, because each is two code units', '😀'.repeat(35), 'Unicode', 1],
    ['35 emoji and one more character need two parts', `${'😀'.repeat(35)}a`, 'Unicode', 2],
    ['an emoji is never split between two parts', '😀'.repeat(67), 'Unicode', 3],
    ['a € is never split between two parts', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3],
    ['an empty text is one part', '', 'GSM-7', 1],
  ])('%s', (_, text, encoding, parts) => {
    expect(countSms(text)).toMatchObject({ encoding, parts });
  });
});

test('the characters that require Unicode are listed once, in order', () => {
  expect(countSms('It’s “here” … 😀’').unicode).toEqual(['’', '“', '”', '…', '😀']);
});

test('toGsm7 replaces the characters that have an equivalent and keeps the others', () => {
  expect(toGsm7('“It’s” – now…\u00a0ok\u200b')).toBe('"It\'s" - now... ok');
  expect(toGsm7('‘a’ 😀')).toBe("'a' 😀");
  expect(toGsm7('👨‍👩‍👧’')).toBe("👨‍👩‍👧'");
  expect(countSms(toGsm7('“It’s” – now…')).encoding).toBe('GSM-7');
});
