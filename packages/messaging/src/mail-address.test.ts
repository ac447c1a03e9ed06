import { describe, expect, test } from 'vitest';
import { readDomainName } from './domains.js';
import { readMailAddress } from './mail-address.js';

describe('an email address is read as mail servers read it', () => {
  test.each([
    ['ada@example.com', 'ada@example.com', 'example.com'],
    ['  ada@example.com ', 'ada@example.com', 'example.com'],
    ['Ada@EXAMPLE.Com', 'Ada@example.com', 'example.com'],
    ['ada@example.com.', 'ada@example.com', 'example.com'],
    ['<ada@example.com>', 'ada@example.com', 'example.com'],
    ['Ada <ada@example.com>', 'Ada <ada@example.com>', 'example.com'],
    ['Ada<ada@example.com>', 'Ada <ada@example.com>', 'example.com'],
    ['Acme Inc. <a@example.com>', '"Acme Inc." <a@example.com>', 'example.com'],
    ['"Lovelace, Ada" <a@example.com>', '"Lovelace, Ada" <a@example.com>', 'example.com'],
    ['"a \\"b\\" \\\\" <a@example.com>', '"a \\"b\\" \\\\" <a@example.com>', 'example.com'],
    ['Zoë <z@example.com>', '"Zoë" <z@example.com>', 'example.com'],
    ["o'neil+tag.x@sub.example.com", "o'neil+tag.x@sub.example.com", 'sub.example.com'],
    ['x@bücher.example', 'x@xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['x@XN--BCHER-KVA.example', 'x@xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['x@ｅxample。com', 'x@example.com', 'example.com'],
  ])('%j', (text, written, domain) => {
    expect(readMailAddress(text)).toMatchObject({ text: written, domain });
  });

  test.each([
    ['"a@verified.com" <x@evil.com>', 'evil.com'],
    ['"a@verified.com>" <x@evil.com>', 'evil.com'],
    ['"<a@verified.com>" <x@evil.com>', 'evil.com'],
    ['x@verified.com.evil.com', 'evil.com'],
    ['x@notverified.com', 'notverified.com'],
    ['x@sub.verified.com', 'sub.verified.com'],
    ['x@vеrified.com', 'xn--vrified-7gg.com'],
  ])('%j does not belong to verified.com', (text, end) => {
    const domain = readMailAddress(text)?.domain;

    expect(domain).not.toBe('verified.com');
    expect(domain === end || domain?.endsWith(`.${end}`)).toBe(true);
  });

  test('a rebuilt address is read as the same address', () => {
    for (const text of ['"a\\"@b.c>" <x@example.com>', 'Ünal, no', '"\\\\" <x@example.com>', 'A B <x@Ä.example.>']) {
      const first = readMailAddress(text);
      expect(first && readMailAddress(first.text)).toEqual(first);
    }
  });
});

test.each([
  '',
  ' ',
  '@',
  'a',
  'a@',
  '@example.com',
  'a@b',
  'a@@example.com',
  'a@b@verified.com',
  'a@verified.com, x@evil.com',
  'a@verified.com,x@evil.com',
  'a@verified.com;x@evil.com',
  'a@verified.com x@evil.com',
  'a@verified.com <x@evil.com>',
  'a@verified.com, B <x@evil.com>',
  '<x@evil.com> <a@verified.com>',
  '<x@evil.com>, <a@verified.com>',
  'A <x@evil.com> a@verified.com',
  '<<a@verified.com>>',
  '<a@verified.com',
  'a@verified.com>',
  '"a <a@verified.com>',
  'group: a@verified.com;',
  'a@verified.com (x@evil.com)',
  'a(comment)@verified.com',
  'a@(comment)verified.com',
  'A (b) <a@verified.com>',
  '<@evil.com:a@verified.com>',
  '"x@evil.com"@verified.com',
  '"a b"@verified.com',
  'a b@verified.com',
  '.a@verified.com',
  'a.@verified.com',
  'a..b@verified.com',
  'a@verified..com',
  'a@.verified.com',
  'a@verified.com..',
  'a@-verified.com',
  'a@verified.com/x',
  'a@verified%2ecom',
  'a@verified.com\u0000.evil.com',
  'a@ver\u00adified.com',
  'a@ver\u200bified.com',
  'a@[127.0.0.1]',
  'a@127.0.0.1',
  'a@1.2',
  'a@2130706433',
  'a@localhost',
  'a@xn--a.com',
  'ä@verified.com',
  'a@verified.com\r\nBcc: x@evil.com',
  'A\r\nBcc: x@evil.com <a@verified.com>',
  'A\n <a@verified.com>',
  '"A\r\nBcc: x@evil.com" <a@verified.com>',
  'A\u2028B <a@verified.com>',
  'evil\u202e <a@verified.com>',
  'A\ud800 <a@verified.com>',
  `${'a'.repeat(65)}@verified.com`,
  `a@${'b'.repeat(64)}.com`,
  `a@${'b.'.repeat(127)}com`,
  `${'a'.repeat(1_001)} <a@verified.com>`,
])('%j is not an email address', (text) => {
  expect(readMailAddress(text)).toBeNull();
});

test('a long malicious text is rejected quickly', () => {
  const cost = cpuTimeOf(() => {
    for (const part of ['"\\', '<', '@', ' ', '"a"', 'a.', '\\"']) {
      readMailAddress(part.repeat(500).slice(0, 1_000));
      readMailAddress(`"${part.repeat(499)} <a@b.c>`);
    }
  });
  // A pattern with exponential backtracking would take hours.
  expect(cost).toBeLessThan(50);
});

test.each([
  ['Example.COM', 'example.com'],
  ['example.com.', 'example.com'],
  ['_dmarc.example.com', null],
  ['*.example.com', null],
  ['https://example.com', null],
  ['example.com:25', null],
  ['ex ample.com', null],
  ['::1', null],
  ['0x7f.1', null],
  ['1.2.3.4', null],
  ['com', null],
  ['.', null],
])('the domain name %j is normalized to %j', (text, name) => {
  expect(readDomainName(text)).toBe(name);
});

/** The CPU time of the step in milliseconds. */
function cpuTimeOf(step: () => void): number {
  const before = process.cpuUsage();
  step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
