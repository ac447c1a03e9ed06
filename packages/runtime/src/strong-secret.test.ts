import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { strongSecret } from './strong-secret.js';

const faultOf = (text: string, minBytes = 32) => strongSecret({ minBytes }).validate(text).error?.message;

it('a random secret is accepted in every usual spelling', () => {
  for (let n = 0; n < 2_000; n++) {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(faultOf(randomBytes(32).toString(encoding))).toBeUndefined();
    }
    expect(faultOf(randomBytes(16).toString('hex'))).toBeUndefined();
  }
  expect(faultOf('correct horse', 12)).toBeUndefined();
  expect(faultOf('correct horse battery staple again')).toBeUndefined();
});

it('a random secret is accepted though its letters spell a word in mixed case', () => {
  expect(faultOf('9kTzQ4sEcReTmWx7RvL2yOUr-bPd8HgNfJ3')).toBeUndefined();
});

it.each([
  'changeme-changeme-changeme-changeme',
  'please CHANGE_ME before you go live, ok?',
  'your-256-bit-key-goes-here-0123456789',
  'ChangeMe: this is the Password of Example',
  'MY_SUPER_SECRET_KEY_FOR_PRODUCTION_0',
  'mysupersecretkeythatnobodyknows1234',
  'replace-this-with-something-random!!',
])('a placeholder is refused: %s', (text) => {
  expect(faultOf(text)).toMatch(/placeholder/);
});

it.each([
  's'.repeat(32),
  'ab'.repeat(32),
  'tiger'.repeat(10),
  '0123456789'.repeat(4),
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab',
  '11111111111111112222222222222222',
  ' '.repeat(40),
])('a secret that is hardly random is refused: %s', (text) => {
  expect(faultOf(text)).toMatch(/easy to guess/);
});

it('a secret that is too short is refused, measured in bytes, and never repeated', () => {
  expect(faultOf('k7Qv2x')).toMatch(/at least 32 bytes/);
  expect(faultOf('k7Qv2x')).not.toContain('k7Qv2x');
  expect(faultOf('tiger'.repeat(10))).not.toContain('tiger');
  expect(faultOf('0c3f9a71be5d2846', 16)).toBeUndefined();
});
