import { expect, test } from 'vitest';
import { readReferences, resolve, valueAt, withoutReferred } from './references.js';

test('only an object whose members are $from, and perhaps path, is a reference', () => {
  const payload = {
    whole: { $from: 'a' },
    part: [{ $from: 'a', path: '/x' }],
    other: { $from: 'a', more: 1 },
    path: { path: '/x' },
  };

  expect(readReferences('payload', payload, ['a'])).toEqual({
    references: [
      { path: ['whole'], from: 'a', pointer: undefined },
      { path: ['part', 0], from: 'a', pointer: '/x' },
    ],
    issues: [],
  });
});

test('a payload may be one reference', () => {
  expect(readReferences('payload', { $from: 'a' }, ['a']).references).toEqual([
    { path: [], from: 'a', pointer: undefined },
  ]);
  expect(resolve({ $from: 'a' }, () => ({ to: 'b' }))).toEqual({ to: 'b' });
});

test.each([
  [{ $from: 1 }, 'Payload.v.$from'],
  [{ $from: 'b' }, 'Payload.v.$from'],
  [{ $from: 'a', path: 1 }, 'Payload.v.path'],
  [{ $from: 'a', path: 'x' }, 'Payload.v.path'],
  [{ $from: 'a', path: '/~2' }, 'Payload.v.path'],
])('%j is an invalid reference', (reference, path) => {
  expect(readReferences('Payload', { v: reference }, ['a']).issues.map((issue) => issue.path)).toEqual([path]);
});

test('issues at and below references are left out, others stay', () => {
  const issues = ['payload.to', 'payload.toOther', 'payload.list[0].name', 'payload.list[1]'].map((path) => ({
    path,
    message: 'is wrong',
  }));
  const { references } = readReferences('payload', { to: { $from: 'a' }, list: [{ $from: 'a' }, 1] }, ['a']);

  expect(withoutReferred(issues, 'payload', references).map(({ path }) => path)).toEqual([
    'payload.toOther',
    'payload.list[1]',
  ]);
});

test.each([
  [undefined, { 'a/b': [1, { '~': null }] }],
  ['', { 'a/b': [1, { '~': null }] }],
  ['/a~1b/0', 1],
  ['/a~1b/1/~0', null],
  ['/a~1b/01', undefined],
  ['/a~1b/-', undefined],
  ['/toString', undefined],
  ['/a~1b/length', undefined],
])('the pointer %s finds its value', (pointer, value) => {
  expect(valueAt({ 'a/b': [1, { '~': null }] }, pointer)).toEqual(value);
});
