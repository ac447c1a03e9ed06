import { expect, it } from 'vitest';
import {
  actionsFor,
  type BulkAction,
  bulkSentence,
  bulkWords,
  countSentence,
  filtersOfBulk,
  progressText,
  startLabel,
} from './bulk-words.js';

const bulk = (more: Partial<BulkAction>): BulkAction => ({
  id: '1',
  action: 'retry',
  filter: {},
  status: 'running',
  total: 12_431,
  done: 0,
  skipped: 0,
  failed: 0,
  created_at: '',
  finished_at: null,
  ...more,
});

it('the count is exact up to its limit', () => {
  expect(countSentence({ matches: 0 })).toBe('No jobs match.');
  expect(countSentence({ matches: 1 })).toBe('1 job matches.');
  expect(countSentence({ matches: 12_431 })).toBe('12,431 jobs match.');
  expect(countSentence({ matches: 100_000, more: true })).toBe('100,000 or more jobs match.');
});

it('the button names how many jobs the action may change', () => {
  expect(startLabel('retry', undefined)).toBe('Retry all jobs');
  expect(startLabel('retry', { matches: 100_000, more: true })).toBe('Retry all jobs');
  expect(startLabel('cancel', { matches: 1 })).toBe('Cancel 1 job');
  expect(startLabel('rerun', { matches: 12_431 })).toBe('Run all 12,431 jobs again');
});

it('the sentence of a finished action names what was done, skipped and not possible', () => {
  expect(bulkSentence(bulk({}))).toBe('Retrying 12,431 jobs');
  expect(progressText(bulk({ done: 3_000, skipped: 10 }))).toBe('3,010 of 12,431 jobs, 10 skipped');
  expect(bulkSentence(bulk({ status: 'done', done: 12_300, skipped: 131 }))).toBe(
    'Retried 12,300 of 12,431 jobs, 131 skipped.',
  );
  expect(bulkSentence(bulk({ action: 'rerun', status: 'stopped', done: 5, failed: 1 }))).toBe(
    'Submitted 5 of 12,431 jobs again, 1 with an error. The action was stopped.',
  );
});

it('only actions that the status allows are offered', () => {
  expect(actionsFor({ type: 'greet' })).toEqual(['retry', 'cancel', 'rerun', 'delete']);
  expect(actionsFor({ status: 'pending' })).toEqual(['cancel']);
  expect(actionsFor({ status: 'done' })).toEqual(['rerun', 'delete']);
  expect(actionsFor({ status: 'failed' })).toEqual(['retry', 'rerun', 'delete']);
  expect(actionsFor({ error_code: 'timeout' })).toEqual(['retry', 'rerun', 'delete']);
});

it('an action is named by its filter, of which hashes are not shown', () => {
  const named = { status: 'failed', type: 'send_sms', tag: ['a', 'b'], key: 'acme' };
  expect(bulkWords(bulk({ filter: named }))).toBe('Retry failed send_sms jobs with the tags a, b with the key acme');
  expect(filtersOfBulk(bulk({ filter: named }))).toEqual({ ...named, tag: 'a,b' });
  const hashed = { type: 'send_sms', key: 'hash:1', message: 'hash:2', ended_after: '2026-11-21T14:02:00.000Z' };
  expect(bulkWords(bulk({ filter: hashed }))).toMatch(
    /^Retry send_sms jobs, with one key, with one message, ended since 21 Nov, \d\d:02$/,
  );
  expect(filtersOfBulk(bulk({ filter: hashed }))).toBeNull();
  const chosen = bulk({ action: 'delete', filter: { ids: ['hash:1', 'hash:2'] } });
  expect([bulkWords(chosen), filtersOfBulk(chosen)]).toEqual(['Delete 2 chosen jobs', null]);
});
