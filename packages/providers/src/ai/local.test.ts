import { silentLogger } from '@jobline/runtime';
import { expect, test } from 'vitest';
import { local } from './local.js';

const summarizer = local.create({}, { log: silentLogger });
const never = new AbortController().signal;
const MEGABYTE = Array.from(
  { length: 16_000 },
  (_, n) => `Sentence ${n} speaks of thing ${n % 977} and item ${n % 1013}.`,
).join(' ');

/** The CPU time that this process uses while a text is summarized, in ms. */
async function ownCpuTimeOf(text: string): Promise<number> {
  const before = process.cpuUsage();
  await summarizer.summarize({ text, length: 12, signal: never });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test('a local summary names its model', async () => {
  expect(await summarizer.summarize({ text: 'One. Two.', length: 2, signal: never })).toEqual({
    summary: 'One. Two.',
    model: 'local-extractive',
  });
});

test('a megabyte of text is summarized in another process', async () => {
  expect(MEGABYTE.length).toBeGreaterThan(700_000);
  await ownCpuTimeOf('The process has started.');

  // Summarizing takes more than a second of CPU time. Passing it on takes a few milliseconds.
  expect(await ownCpuTimeOf(MEGABYTE)).toBeLessThan(400);
});

test('a local summary is canceled when the signal is aborted', async () => {
  const ending = new AbortController();
  const summing = summarizer.summarize({ text: MEGABYTE, length: 'long', signal: ending.signal });
  ending.abort(new Error('canceled'));

  await expect(summing).rejects.toThrow('canceled');
  await expect(summarizer.summarize({ text: 'a', length: 1, signal: ending.signal })).rejects.toThrow('canceled');
  expect((await summarizer.summarize({ text: 'a', length: 1, signal: never })).summary).toBe('a');
});
