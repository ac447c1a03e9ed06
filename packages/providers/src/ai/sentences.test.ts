import { describe, expect, test } from 'vitest';
import { sentencesOf } from './sentences.js';

const split = (text: string) => [...sentencesOf(text)].map(({ start, end }) => text.slice(start, end));

describe('the sentences of a text', () => {
  test.each<[string, string, string[]]>([
    [
      'end with their punctuation',
      'It is out! Is it? Yes. "No." he said.',
      ['It is out!', 'Is it?', 'Yes.', '"No." he said.'],
    ],
    [
      'continue after titles, initials and numbers',
      'Dr. Ada Lovelace met J. R. Doe, e.g. for tea. See Fig. 3 of the U.S. Army. No. They left.',
      ['Dr. Ada Lovelace met J. R. Doe, e.g. for tea.', 'See Fig. 3 of the U.S. Army.', 'No.', 'They left.'],
    ],
    [
      'may contain decimals and possessives',
      "It is 1.2% of Earth's. The rest is 3.5.",
      ["It is 1.2% of Earth's.", 'The rest is 3.5.'],
    ],
    [
      'are found in Japanese, which has no spaces',
      '吾輩は猫である。名前はまだ無い。「何でも薄暗い」と言った。',
      ['吾輩は猫である。', '名前はまだ無い。', '「何でも薄暗い」と言った。'],
    ],
    [
      'are found in Arabic and Hindi',
      'كيف حالك؟ أنا بخير. यह एक है। यह दो है।',
      ['كيف حالك؟', 'أنا بخير.', 'यह एक है।', 'यह दो है।'],
    ],
    ['keep the closing marks of Markdown', '**Row first.** Then the key.', ['**Row first.**', 'Then the key.']],
    ['may consist of emoji', '😀😀! 😀', ['😀😀!', '😀']],
  ])('%s', (_name, text, expected) => {
    expect(split(text)).toEqual(expected);
  });

  test('span lines that were wrapped by hand, but not headings and list items', () => {
    const text =
      'The queue\n\nA background job queue lets a program hand work over to\r\nanother process, and go on.\n- first\n- second';

    expect(split(text)).toEqual([
      'The queue',
      'A background job queue lets a program hand work over to\r\nanother process, and go on.',
      '- first',
      '- second',
    ]);
  });

  test('are split in a text without punctuation: between words, or at least between characters', () => {
    const words = split('um and then we said '.repeat(1_000));
    expect(
      words.every(
        (passage) => passage.length <= 1_000 && /^(um|and|then|we|said)\b.*\b(um|and|then|we|said)$/.test(passage),
      ),
    ).toBe(true);

    const emoji = split('😀'.repeat(10_000));
    expect(emoji.every((passage) => passage.length <= 1_000 && passage.isWellFormed())).toBe(true);
    expect(emoji.join('')).toBe('😀'.repeat(10_000));
  });
});

test.each([
  'a b c. D e f!\n\n g h.  ',
  'broken \ud800 pair. And \udc00 next. \ud800',
  'x'.repeat(4_001),
  'Mr. '.repeat(3_000),
  '(「“'.repeat(2_000),
  `${'word '.repeat(790)}end. ${'Next one. '.repeat(500)}`,
  '\u0000 \u200b.\u2029 \r\r\n',
  `far${' '.repeat(5_000)}away`,
])('splitting a text loses only white space and repeats nothing (%#)', (text) => {
  expect(split(text)).not.toContain('');
  expect(split(text).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
});
