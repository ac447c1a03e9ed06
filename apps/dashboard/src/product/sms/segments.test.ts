import { describe, expect, test } from 'vitest';
import { countSms, nameOf, replaceOffenders } from './segments.js';

describe('segments are code points ÷ 160, rounded up, as the service records them', () => {
  test.each([
    ['', 1],
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['😀'.repeat(160), 1],
  ])('%#', (text, segments) => {
    expect(countSms(text).segments).toBe(segments);
  });
});

describe('the carrier’s parts', () => {
  test.each([
    ['160 in GSM-7 alone', 'a'.repeat(160), 'GSM-7', 1],
    ['153 in GSM-7 joined', 'a'.repeat(161), 'GSM-7', 2],
    ['two full joined ones', 'a'.repeat(306), 'GSM-7', 2],
    ['a third', 'a'.repeat(307), 'GSM-7', 3],
    ['€ counts two', '€'.repeat(80), 'GSM-7', 1],
    ['€ counts two, and one more', `${'€'.repeat(80)}a`, 'GSM-7', 2],
    ['70 in UCS-2 alone', 'ж'.repeat(70), 'Unicode', 1],
    ['67 in UCS-2 joined', 'ж'.repeat(71), 'Unicode', 2],
    ['an emoji is two code units', '😀'.repeat(35), 'Unicode', 1],
    ['an emoji is two code units, and one more', `${'😀'.repeat(35)}a`, 'Unicode', 2],
    ['an emoji is never cut in two', '😀'.repeat(67), 'Unicode', 3],
    ['nor is €', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM-7', 3],
    ['nothing', '', 'GSM-7', 1],
  ])('%s', (_, text, encoding, parts) => {
    expect(countSms(text)).toMatchObject({ encoding, parts });
  });
});

test('offenders are named in order, counted, and offered what says the same', () => {
  expect(countSms('It’s “here” … 😀’').offenders).toEqual([
    { character: '’', replacement: "'", count: 2 },
    { character: '“', replacement: '"', count: 1 },
    { character: '”', replacement: '"', count: 1 },
    { character: '…', replacement: '...', count: 1 },
    { character: '😀', replacement: null, count: 1 },
  ]);
});

test('replacing makes the text GSM-7 where it can, and leaves the rest alone', () => {
  expect(replaceOffenders('“It’s” – now…\u00a0ok\u200b')).toBe('"It\'s" - now... ok');
  expect(replaceOffenders('‘a’ 😀')).toBe("'a' 😀");
  expect(countSms(replaceOffenders('“It’s” – now…')).encoding).toBe('GSM-7');
});

test('what joins its neighbours is removed only where nothing keeps the text from being GSM-7', () => {
  expect(replaceOffenders('a\u200db\ufe0f’')).toBe("ab'");
  expect(replaceOffenders('👨‍👩‍👧’')).toBe("👨‍👩‍👧'");
  expect(countSms('نمی\u200cدانم').offenders).toContainEqual({ character: '\u200c', replacement: null, count: 1 });
});

test('what cannot be seen is named by its number', () => {
  expect(nameOf('\u00a0')).toBe('U+00A0 (invisible)');
  expect(countSms('❤️').offenders.map(({ character }) => nameOf(character))).toEqual(['❤', 'U+FE0F (invisible)']);
  expect(nameOf('’')).toBe('’');
});
