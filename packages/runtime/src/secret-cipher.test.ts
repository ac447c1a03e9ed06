import Joi from 'joi';
import { expect, test } from 'vitest';
import { readConfig } from './config.js';
import { createSecretCipher, encryptionKeysSetting } from './secret-cipher.js';

const OLD = 'kX8wVq2mZr5tYb9cNd4fGh7jLp1sAe6u';
const NEW = 'Qe3rTy6uIo9pAs2dFg5hJk8lZx1cVb4n';
const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3Q=';

test('a sealed secret is unreadable, never the same twice, and opens only in its own context', () => {
  const cipher = createSecretCipher([NEW]);
  const sealed = cipher.seal(SECRET, 'an organization');

  expect(sealed).toMatch(/^sealed:v1:[0-9a-f]{12}:[\w-]+$/);
  expect(cipher.seal(SECRET, 'an organization')).not.toBe(sealed);
  expect(cipher.open(sealed, 'an organization')).toBe(SECRET);
  expect(() => cipher.open(sealed, 'another')).toThrow();
  expect(() => cipher.open(`${sealed.slice(0, -2)}AA`, 'an organization')).toThrow();
});

test('the first key seals and all keys open; without its key a secret cannot be opened', () => {
  const sealed = createSecretCipher([OLD]).seal(SECRET, 'x');
  const both = createSecretCipher([NEW, OLD]);

  expect(both.open(sealed, 'x')).toBe(SECRET);
  expect(both.seal(SECRET, 'x').startsWith(both.currentPrefix ?? '?')).toBe(true);
  expect(sealed.startsWith(both.currentPrefix ?? '?')).toBe(false);
  for (const keys of [[NEW], []]) expect(() => createSecretCipher(keys).open(sealed, 'x')).toThrow('ENCRYPTION_KEY');
});

test('secrets stored before there was a key are read unchanged, and without a key nothing is sealed', () => {
  expect(createSecretCipher([NEW]).open(SECRET, 'x')).toBe(SECRET);
  expect(createSecretCipher([]).seal(SECRET, 'x')).toBe(SECRET);
});

test('keys are separated by commas, strong, and never repeated in messages', () => {
  const schema = Joi.object<{ ENCRYPTION_KEY: readonly string[] }>({ ENCRYPTION_KEY: encryptionKeysSetting });
  const read = (text: string) => readConfig(schema, { ENCRYPTION_KEY: text }).ENCRYPTION_KEY;

  expect(read('')).toEqual([]);
  expect(read(`${NEW}, ${OLD}`)).toEqual([NEW, OLD]);
  for (const weak of ['short', 's'.repeat(40), `${NEW},`, Array(9).fill(NEW).join()]) {
    expect(() => read(weak)).toThrow('ENCRYPTION_KEY has');
    expect(() => read(weak)).not.toThrow(weak);
  }
});
