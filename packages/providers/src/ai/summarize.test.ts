import { describe, expect, test } from 'vitest';
import { type SummaryInput, summarizeText } from './summarize.js';

type Length = SummaryInput['length'];

const sumUp = (text: string, length: Length = 3): string => summarizeText({ text, length });

const HARBOUR = [
  'The city council voted on Tuesday to close the old harbour bridge to cars.',
  'From next spring the bridge will carry only trams, bicycles and pedestrians.',
  'Engineers had warned for years that the steel of the bridge, built in 1931, was tired.',
  '“I learned to drive on it,” said one resident.',
  'Repairs that would have kept it open to cars were put at 40 million.',
  'Shop owners on the east bank fear that they will lose customers.',
  'The mayor promised a second car ferry and lower fares until a new bridge is built.',
  'A new bridge is planned for 2031, but the council has not found the money.',
  'The weather on Tuesday was fine.',
];

const WASSER = [
  'Die Wasserversorgung der Stadt wird in den kommenden zehn Jahren erneuert.',
  'Viele Rohre stammen noch aus der Zeit um 1910 und verlieren bis zu 15 Prozent des Wassers.',
  'Bürgermeisterin Dr. Anna Weber nannte die Pläne notwendig.',
  'Am Wochenende spielt die Feuerwehrkapelle.',
  'Die Kosten für die Rohre werden über den Wasserpreis der Stadt umgelegt.',
];

const KYUSHOKU = [
  '東京都は来年度から公立学校の給食を無償にすると発表した。',
  '対象は都内のすべての小中学校である。',
  '知事は会見で、子育て世帯の負担を減らしたいと述べた。',
  '昨日は雨だった。',
  '専門家は、給食の質を保つための予算も必要だと指摘する。',
];

describe('a summary', () => {
  test('consists of sentences of the text, unchanged and in their order', () => {
    const summary = sumUp(HARBOUR.join(' '));

    const picked = HARBOUR.filter((sentence) => summary.includes(sentence));
    expect(picked).toHaveLength(3);
    expect(summary).toBe(picked.join(' '));
  });

  test('contains the main subject and leaves out what is unrelated', () => {
    const summary = sumUp(HARBOUR.join(' '));

    expect(summary).toContain(HARBOUR[0]);
    expect(summary).not.toMatch(/weather|learned to drive/);
  });

  test.each([
    ['German', WASSER, ' ', 'Feuerwehrkapelle'],
    ['Japanese', KYUSHOKU, '', '雨'],
  ])('works without knowing that the text is %s', (_language, sentences, space, unrelated) => {
    const summary = sumUp(sentences.join(space), 2);

    expect(sentences.filter((sentence) => summary.includes(sentence)).join(space)).toBe(summary);
    expect(summary).toContain(sentences[0]);
    expect(summary).not.toContain(unrelated);
  });

  test('has the requested length: a number of sentences, or 3, 6 or 12', () => {
    const text = Array.from({ length: 30 }, (_, n) => `Point ${n} is about the number ${n * 17}.`).join(' ');
    const lengthOf = (length: Length) => sumUp(text, length).split('. ').length;

    const lengths: Length[] = [1, 5, 'short', 'medium', 'long'];
    expect(lengths.map(lengthOf)).toEqual([1, 5, 3, 6, 12]);
  });

  test('the summary of a short text is the text itself', () => {
    const text = '  One line.\n\nAnother line.  ';

    expect(sumUp(text, 2)).toBe('One line.\n\nAnother line.');
    expect(sumUp('no full stop', 1)).toBe('no full stop');
    expect(sumUp('😀', 1)).toBe('😀');
    expect(sumUp(HARBOUR.join(' '), Number.MAX_SAFE_INTEGER)).toBe(HARBOUR.join(' '));
  });

  test('contains no repeats', () => {
    const footer = 'This mail about the bridge was sent by the city council.';
    const nearly = 'From next spring, the bridge will carry trams, bicycles, pedestrians only.';

    const summary = sumUp([...HARBOUR, nearly, footer, footer, footer].join(' '), 4);

    expect(summary.split(footer).length).toBeLessThanOrEqual(2);
    expect(summary.match(/trams, bicycles/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test('is the same in every run', () => {
    expect(sumUp(HARBOUR.join(' '))).toBe(sumUp(HARBOUR.join(' ')));
  });

  test.each([
    ['broken surrogates', 'Half \ud800 of it. The other \udc00 half. All of it. Nothing.'],
    ['only emoji', '😀! 😀😀! 🚀! 👩‍👩‍👧!'],
    ['only punctuation', '?! ... !! ?? .'],
    ['no punctuation', 'and so on and on '.repeat(2_000)],
  ])('can be made of a text with %s', (_name, text) => {
    const summary = sumUp(text, 2);

    expect(summary).not.toBe('');
    expect(summary.length).toBeLessThanOrEqual(text.length);
  });
});
