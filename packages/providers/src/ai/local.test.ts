import { silentLogger } from '@jobline/runtime';
import { describe, expect, test } from 'vitest';
import { local } from './local.js';

const summarizer = local.create({}, { log: silentLogger });
type Length = Parameters<typeof summarizer.summarize>[0]['length'];

async function sumUp(text: string, length: Length = 3): Promise<string> {
  const { summary, model } = await summarizer.summarize({ text, length, signal: new AbortController().signal });
  expect(model).toBe('local-extractive');
  return summary;
}

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
  test('is sentences of the text as they are, in their order', async () => {
    const summary = await sumUp(HARBOUR.join(' '));

    const picked = HARBOUR.filter((sentence) => summary.includes(sentence));
    expect(picked).toHaveLength(3);
    expect(summary).toBe(picked.join(' '));
  });

  test('has what the text is about, and leaves out what is beside it', async () => {
    const summary = await sumUp(HARBOUR.join(' '));

    expect(summary).toContain(HARBOUR[0]);
    expect(summary).not.toMatch(/weather|learned to drive/);
  });

  test.each([
    ['German', WASSER, ' ', 'Feuerwehrkapelle'],
    ['Japanese', KYUSHOKU, '', '雨'],
  ])('need not be told that the text is %s', async (_language, sentences, space, beside) => {
    const summary = await sumUp(sentences.join(space), 2);

    expect(sentences.filter((sentence) => summary.includes(sentence)).join(space)).toBe(summary);
    expect(summary).toContain(sentences[0]);
    expect(summary).not.toContain(beside);
  });

  test('is as long as asked for: a number of sentences, or 3, 6 or 12 of them', async () => {
    const text = Array.from({ length: 30 }, (_, n) => `Point ${n} is about the number ${n * 17}.`).join(' ');
    const lengthOf = async (length: Length) => (await sumUp(text, length)).split('. ').length;

    expect(await Promise.all([1, 5, 'short', 'medium', 'long'].map((length) => lengthOf(length as Length)))).toEqual([
      1, 5, 3, 6, 12,
    ]);
  });

  test('of a text that has no more sentences than that is the text', async () => {
    const text = '  One line.\n\nAnother line.  ';

    expect(await sumUp(text, 2)).toBe('One line.\n\nAnother line.');
    expect(await sumUp('no full stop', 1)).toBe('no full stop');
    expect(await sumUp('😀', 1)).toBe('😀');
    expect(await sumUp(HARBOUR.join(' '), Number.MAX_SAFE_INTEGER)).toBe(HARBOUR.join(' '));
  });

  test('says nothing twice', async () => {
    const footer = 'This mail about the bridge was sent by the city council.';
    const nearly = 'From next spring, the bridge will carry trams, bicycles, pedestrians only.';

    const summary = await sumUp([...HARBOUR, nearly, footer, footer, footer].join(' '), 4);

    expect(summary.split(footer).length).toBeLessThanOrEqual(2);
    expect(summary.match(/trams, bicycles/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test('is the same every time', async () => {
    expect(await sumUp(HARBOUR.join(' '))).toBe(await sumUp(HARBOUR.join(' ')));
  });

  test.each([
    ['broken surrogates', 'Half \ud800 of it. The other \udc00 half. All of it. Nothing.'],
    ['emoji alone', '😀! 😀😀! 🚀! 👩‍👩‍👧!'],
    ['marks alone', '?! ... !! ?? .'],
    ['words without end', 'and so on and on '.repeat(2_000)],
  ])('can be made of %s', async (_name, text) => {
    const summary = await sumUp(text, 2);

    expect(summary).not.toBe('');
    expect(summary.length).toBeLessThanOrEqual(text.length);
  });
});

describe('a megabyte', () => {
  const text = Array.from(
    { length: 16_000 },
    (_, n) => `Sentence ${n} speaks of thing ${n % 977} and item ${n % 1013}.`,
  ).join(' ');

  test('is summed up without holding up everything else', async () => {
    expect(text.length).toBeGreaterThan(700_000);
    const cpuMs = () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
    const startedAt = cpuMs();
    let last = startedAt;
    let longestMs = 0;
    const ticking = setInterval(() => {
      longestMs = Math.max(longestMs, cpuMs() - last);
      last = cpuMs();
    }, 1);

    await sumUp(text, 12);

    clearInterval(ticking);
    expect(longestMs).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan((cpuMs() - startedAt) / 3);
  });

  test('is given up when the signal fires', async () => {
    const ending = new AbortController();
    const summing = summarizer.summarize({ text, length: 'long', signal: ending.signal });
    setTimeout(() => ending.abort(new Error('canceled')), 5);

    await expect(summing).rejects.toThrow('canceled');
    await expect(summarizer.summarize({ text, length: 1, signal: ending.signal })).rejects.toThrow('canceled');
  });
});
