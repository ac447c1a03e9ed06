import { configSchema as api } from '@jobline/api/config';
import { STREAM_SETTINGS } from '@jobline/api/streams';
import { MAX_PENDING_INVITES, QUOTAS } from '@jobline/contracts';
import { configSchema as worker } from '@jobline/worker/config';
import type { ObjectSchema } from 'joi';
import { expect, test } from 'vitest';
import { codeSpans, readDocument, tables } from './markdown.js';

/** README.md has one table of all limits: what | limit | counted for | setting. */
const COLUMNS = ['what', 'limit', 'counted for', 'setting'];
const rows = limitRows();

/** Those that have a default of their own. */
const SETTING = /^(RATE_LIMIT|MAX_STORED)_/;

test('README.md lists every limit that can be set, with its default', () => {
  const expected = Object.fromEntries([...settingsOf(api), ...settingsOf(worker)]);
  const listed = rows.flatMap(({ limit, setting }) =>
    codeSpans(setting)
      .filter((name) => SETTING.test(name))
      .map((name) => [name, firstNumber(limit)]),
  );

  expect(Object.fromEntries(listed)).toEqual(expected);
});

test('README.md lists the quotas of what an organization may have', () => {
  const row = rows.find(({ what }) => what.startsWith('API keys'));

  const named = Object.keys(QUOTAS).map((name) => name.replace('_', ' ').replace('api', 'API'));
  for (const name of named) expect(row?.what).toContain(name);
  const limits = new Set([...Object.values(QUOTAS), MAX_PENDING_INVITES]);
  expect([...limits]).toEqual([firstNumber(row?.limit ?? '')]);
});

test('README.md lists how many event streams may be open', () => {
  const row = rows.find(({ what }) => what.startsWith('event streams'));

  expect(firstNumber(row?.limit ?? '')).toBe(STREAM_SETTINGS.maxPerOrg);
  expect(firstNumber(row?.counted ?? '')).toBe(STREAM_SETTINGS.maxTotal);
});

function settingsOf(schema: ObjectSchema): [string, unknown][] {
  const { keys } = schema.describe();
  return Object.keys(keys)
    .filter((name) => SETTING.test(name))
    .map((name) => [name, keys[name].flags.default]);
}

function firstNumber(text: string): number {
  return Number(/[\d,]*\d/.exec(text)?.[0].replaceAll(',', ''));
}

function limitRows(): { what: string; limit: string; counted: string; setting: string }[] {
  const table = tables(readDocument('README.md')).find(([header]) => header?.join() === COLUMNS.join());
  if (!table) throw new Error(`README.md has no table whose columns are ${COLUMNS.join(' | ')}`);
  return table
    .slice(1)
    .map(([what = '', limit = '', counted = '', setting = '']) => ({ what, limit, counted, setting }));
}
