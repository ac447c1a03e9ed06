import { configSchema as api } from '@jobline/api/config';
import { STREAM_SETTINGS } from '@jobline/api/streams';
import { MAX_PENDING_INVITES, QUOTAS } from '@jobline/contracts';
import { configSchema as worker } from '@jobline/worker/config';
import type { ObjectSchema } from 'joi';
import { expect, test } from 'vitest';
import { codeSpans, DOCS, tableRows } from './markdown.js';

const rows = tableRows(DOCS.limits, 'what', 'limit', 'counted for', 'setting').map(
  ([what = '', limit = '', counted = '', setting = '']) => ({ what, limit, counted, setting }),
);

/** The settings of limits that have one default. */
const SETTING = /^(RATE_LIMIT|MAX_STORED)_/;

test('the page about limits lists every limit that can be set, with its default', () => {
  const expected = Object.fromEntries([...settingsOf(api), ...settingsOf(worker)]);
  const listed = rows.flatMap(({ limit, setting }) =>
    codeSpans(setting)
      .filter((name) => SETTING.test(name))
      .map((name) => [name, firstNumber(limit)]),
  );

  expect(Object.fromEntries(listed)).toEqual(expected);
});

test('the page about limits lists the quotas of an organization', () => {
  const ofKinds = rows.filter(
    ({ what, counted }) =>
      counted === 'an organization' && /^(API keys|bulk actions|webhooks|limits of|secrets)/.test(what),
  );
  const limitOf = (name: string) => firstNumber(ofKinds.find(({ what }) => what.includes(name))?.limit ?? '');
  const nameOf = (quota: string) => quota.replace('_', ' ').replace('api', 'API');

  const listed = Object.keys(QUOTAS).map((quota) => [quota, limitOf(nameOf(quota))]);
  expect(Object.fromEntries(listed)).toEqual(QUOTAS);
  expect(limitOf('pending invites')).toBe(MAX_PENDING_INVITES);
});

test('the page about limits lists how many event streams may be open', () => {
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
