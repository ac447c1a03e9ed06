import { expect, it } from 'vitest';
import { apiKeyHash, makeApiKey } from './api-key.js';

it('every generated key has a valid checksum, and no two keys are equal', () => {
  const keys = Array.from({ length: 500 }, () => makeApiKey());
  for (const { key, hash, prefix } of keys) {
    expect(key).toMatch(/^jl_[0-9A-Za-z]{36}$/);
    expect(key.startsWith(prefix)).toBe(true);
    expect(apiKeyHash(key)).toEqual(hash);
  }
  expect(new Set(keys.map(({ key }) => key)).size).toBe(500);
});

it('the checksum is the standard CRC32, so that scanners for leaked keys can verify it', () => {
  const random = 'abcdefghijklmnopqrstuvwxyz0123';
  expect(crc32Base62(random)).toHaveLength(6);
  expect(apiKeyHash(`jl_${random}${crc32Base62(random)}`)).not.toBeNull();
});

it('a key with a changed character, and any other text, is rejected without a database query', () => {
  const { key } = makeApiKey();
  for (let i = 3; i < key.length; i++) {
    const changed = key.slice(0, i) + (key[i] === 'A' ? 'B' : 'A') + key.slice(i + 1);
    expect(apiKeyHash(changed)).toBeNull();
  }
  for (const text of ['', 'jl_', `${key}0`, key.slice(1), `jl_${'0'.repeat(36)}`, `${key}\n`])
    expect(apiKeyHash(text)).toBeNull();
});

/** A different implementation from the tested one: with a table, in 64-bit arithmetic. */
function crc32Base62(text: string): string {
  const table = Array.from({ length: 256 }, (_, n) => {
    let value = BigInt(n);
    for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ 0xedb88320n : value >> 1n;
    return value;
  });
  let crc = 0xffffffffn;
  for (const byte of Buffer.from(text)) crc = (table[Number((crc ^ BigInt(byte)) & 0xffn)] ?? 0n) ^ (crc >> 8n);
  crc ^= 0xffffffffn;
  let digits = '';
  for (; digits.length < 6; crc /= 62n) {
    digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(Number(crc % 62n)) + digits;
  }
  return digits;
}
