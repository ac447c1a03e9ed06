import { expect, test } from 'vitest';
import { waitingWords } from './job-facts.js';

test.each([
  ['org_limit', 'other jobs of your organization to finish'],
  ['queue', 'a free worker'],
  ['worker', 'a worker with a handler for its type: none is running'],
])('%s is shown as "%s"', (reason, words) => {
  expect(waitingWords(reason)).toBe(words);
});

test('a time is shown as a time, and a job that is about to start waits for nothing', () => {
  for (const reason of ['run_at', 'retry', null, undefined]) expect(waitingWords(reason)).toBeNull();
});
