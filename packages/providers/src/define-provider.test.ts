import { ConfigError, readConfig, silentLogger } from '@jobline/runtime';
import Joi from 'joi';
import { expect, test } from 'vitest';
import { defineProvider, providerKind, secretSetting } from './define-provider.js';

const paper = defineProvider<{ SHEETS: number }, string>({
  name: 'paper',
  settings: Joi.object({ SHEETS: Joi.number().default(3) }),
  create: ({ SHEETS }) => `paper ${SHEETS}`,
});
const pigeon = defineProvider<{ LOFT_URL: string; LOFT_KEY: string }, string>({
  name: 'pigeon',
  settings: Joi.object({ LOFT_URL: Joi.string().uri().required(), LOFT_KEY: secretSetting.required() }),
  create: (settings) => `pigeon ${Object.values(settings).join()}`,
});
const post = providerKind('POST_PROVIDER', [paper, pigeon]);
const app = Joi.object({ PORT: Joi.number().required() }).concat(post.schema);

function open(env: Record<string, string>) {
  return post.open(readConfig(app, { PORT: '1', ...env }), { log: silentLogger });
}

function issues(env: Record<string, string>) {
  try {
    readConfig(app, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
  throw new Error('the environment was taken');
}

test('the variable chooses the provider, and the first one is the default', () => {
  expect(open({})).toBe('paper 3');
  expect(open({ POST_PROVIDER: 'paper', SHEETS: '5' })).toBe('paper 5');
  expect(open({ SHEETS: '5' })).toBe('paper 5');
  expect(open({ POST_PROVIDER: 'pigeon', LOFT_URL: 'http://loft', LOFT_KEY: 'k' })).toBe('pigeon http://loft,k');
});

test('an unknown provider and missing settings are reported together with the other issues', () => {
  expect(issues({ POST_PROVIDER: 'owl' })).toEqual([
    'PORT is required',
    'POST_PROVIDER must be one of [paper, pigeon]',
  ]);
  expect(issues({ POST_PROVIDER: 'pigeon', LOFT_URL: 'loft' })).toEqual([
    'PORT is required',
    'LOFT_URL must be a valid uri',
    'LOFT_KEY is required',
  ]);
});

test('the settings of a provider that is not chosen are not validated', () => {
  expect(open({ LOFT_URL: 'loft', LOFT_KEY: '' })).toBe('paper 3');
  expect(open({ POST_PROVIDER: 'pigeon', LOFT_URL: 'http://loft', LOFT_KEY: 'k', SHEETS: 'many' })).toMatch('pigeon');
});

test('the settings of a provider are validated when it is opened without the app', () => {
  expect(() => post.open({ POST_PROVIDER: 'pigeon' }, { log: silentLogger })).toThrow('LOFT_URL is required');
  expect(() => post.open({ POST_PROVIDER: 'owl' }, { log: silentLogger })).toThrow('POST_PROVIDER must be one of');
});

test('an invalid setting is named but not quoted, and the line break after a secret is removed', () => {
  const pigeonWith = (LOFT_KEY: string) => ({ POST_PROVIDER: 'pigeon', LOFT_URL: 'http://loft', LOFT_KEY });

  expect(open(pigeonWith('key\n'))).toBe('pigeon http://loft,key');
  expect(issues({ PORT: '1', ...pigeonWith('my key') })).toEqual([
    'LOFT_KEY must contain only visible ASCII characters',
  ]);
  const coded = Joi.object({ CODE: Joi.string().pattern(/^\d+$/) });
  expect(() => readConfig(coded, { CODE: 'abc' })).toThrow('CODE has an invalid format');
});
