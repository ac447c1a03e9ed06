import { silentLogger } from '@jobline/runtime';
import { describe, expect, test } from 'vitest';
import { local } from './local.js';

const summarizer = local.create({}, { log: silentLogger });
const never = new AbortController().signal;
type Length = Parameters<typeof summarizer.summarize>[0]['length'];

const sumUp = async (text: string, length: Length): Promise<string> =>
  (await summarizer.summarize({ text, length, signal: never })).summary;

describe('a local summary', () => {
  test('names its model', async () => {
    expect(await summarizer.summarize({ text: 'One. Two.', length: 1, signal: never })).toEqual({
      summary: 'One.',
      model: 'local-extractive',
    });
  });

  test('has the requested length: a number of sentences, or 3, 6 or 12', async () => {
    const text = Array.from({ length: 30 }, (_, n) => `Point ${n} is about the number ${n * 17}.`).join(' ');
    const lengths: Length[] = [1, 5, 'short', 'medium', 'long', 30, Number.MAX_SAFE_INTEGER];

    const summaries = await Promise.all(lengths.map((length) => sumUp(text, length)));

    expect(summaries.map((summary) => summary.split('. ').length)).toEqual([1, 5, 3, 6, 12, 30, 30]);
    expect(summaries.every((summary) => text.startsWith(summary))).toBe(true);
  });

  test.each([
    ['with titles and initials', 'Dr. Ada Lovelace met J. R. Doe. They left.', 'Dr. Ada Lovelace met J. R. Doe.'],
    ['with decimals', 'It is 1.2% of it. The rest is 3.5.', 'It is 1.2% of it.'],
    ['with a line break in a sentence', '\n The queue is\r\nempty\nnow.\nGood.', 'The queue is\r\nempty\nnow.'],
    ['with a heading', 'The queue\n\nIt is empty.', 'The queue'],
    ['in Japanese, which has no spaces', '吾輩は猫である。名前はまだ無い。', '吾輩は猫である。'],
    ['in Arabic', 'كيف حالك؟ أنا بخير.', 'كيف حالك؟'],
    ['of one line', 'no full stop', 'no full stop'],
    ['of emoji', '😀', '😀'],
  ])('starts a text %s with its first sentence', async (_which, text, first) => {
    expect(await sumUp(text, 1)).toBe(first);
  });

  test.each(['x'.repeat(10_000), `x${'😀'.repeat(5_000)}`, '\ud800', 'Mr. '.repeat(3_000), `a.${' '.repeat(9_000)}b.`])(
    'loses nothing of a text that has no sentences of a usual length (%#)',
    async (text) => {
      expect(await sumUp(text, 1_000)).toBe(text.trim());
      expect((await sumUp(text, 1)).isWellFormed()).toBe(text.isWellFormed());
    },
  );

  test('ends after ten thousand pieces, so a text of blank lines or initials costs little', async () => {
    expect(await sumUp('A. '.repeat(300_000), 3)).toBe('A. '.repeat(10_000).trim());
    expect(await sumUp(`a\n${'\n'.repeat(300_000)}Big. Cat.`, 2)).toBe('a');
    expect(await sumUp(`${'\n'.repeat(300_000)}Big. Cat.`, 1)).toBe('Big.');
  });

  test('lets other work continue while a long text is split', async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    await sumUp('One sentence of many. '.repeat(50_000), 50_000);
    clearInterval(counting);

    expect(turns).toBeGreaterThan(1);
  });

  test('is canceled when the signal is aborted', async () => {
    const ending = new AbortController();
    const text = 'One sentence of many. '.repeat(50_000);
    const summing = summarizer.summarize({ text, length: 50_000, signal: ending.signal });
    ending.abort(new Error('canceled'));

    await expect(summing).rejects.toThrow('canceled');
  });
});
