import { describe, expect, test } from 'vitest';
import { issuesOf } from '../payload.js';
import type { SummaryRequest } from '../ports/index.js';
import { runHandler } from '../testing.js';
import { aiSummarize } from './ai_summarize.js';

async function run(payload: Parameters<typeof aiSummarize.run>[0], signal = new AbortController().signal) {
  const asked: SummaryRequest[] = [];
  const ports = {
    summarizer: {
      summarize: async (request: SummaryRequest) => {
        asked.push(request);
        return { summary: 'In short.', model: 'some-model' };
      },
    },
  };
  return { asked, ...(await runHandler(aiSummarize, payload, { ports, signal })) };
}

test('ai_summarize returns the summary and its model', async () => {
  const { signal } = new AbortController();

  const { asked, result, logs } = await run({ text: 'A long story.', length: 'medium' }, signal);

  expect(asked).toEqual([{ text: 'A long story.', length: 'medium', signal }]);
  expect(result).toEqual({ summary: 'In short.', model: 'some-model' });
  expect(logs).toEqual([{ level: 'info', message: 'some-model: 13 characters → 9' }]);
});

test('a summary is short by default', async () => {
  expect((await run({ text: 'A long story.' })).asked).toMatchObject([{ length: 'short' }]);
});

describe('the payload of ai_summarize', () => {
  test.each([
    { text: 'x' },
    { text: '日本語', length: 'long' },
    { text: ' \ud800 ', length: 1 },
    { text: 'x', length: 10_000, language: 'en' },
  ])('can be %j', (payload) => {
    expect(issuesOf(aiSummarize, payload)).toEqual([]);
  });

  test.each<[object, string, string]>([
    [{}, 'text', 'required'],
    [{ text: '' }, 'text', 'empty'],
    [{ text: ' \n\t\u3000' }, 'text', 'blank'],
    [{ text: 7 }, 'text', 'string'],
    [{ text: 'x', length: 'tiny' }, 'length', 'short, medium, long or a positive whole number of sentences'],
    [{ text: 'x', length: '3' }, 'length', 'short, medium, long or a positive whole number of sentences'],
    [{ text: 'x', length: null }, 'length', 'short, medium, long or a positive whole number of sentences'],
    [{ text: 'x', length: 0 }, 'length', 'at least 1|greater than or equal to 1'],
    [{ text: 'x', length: 1.5 }, 'length', 'integer'],
    [{ text: 'x', length: 2 ** 60 }, 'length', 'safe number'],
  ])('must not be %j', (payload, path, reason) => {
    const issues = issuesOf(aiSummarize, payload);

    expect(issues).toHaveLength(1);
    expect(issues[0]?.path).toContain(path);
    expect(issues[0]?.message).toMatch(new RegExp(reason));
  });
});
