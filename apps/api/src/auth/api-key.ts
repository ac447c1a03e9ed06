import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key: `jl_`, 30 random base62 characters, and the CRC32 of those in 6 more. With the checksum, a mistyped or invented
 * key is rejected without a database query, and scanners can recognize leaked keys.
 */
export interface NewApiKey {
  /** Shown once, never stored. */
  key: string;
  /** The first characters, by which a person recognizes the key. */
  prefix: string;
  hash: Buffer;
}

const PREFIX = 'jl_';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = PREFIX.length + 8;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^jl_[0-9A-Za-z]{36}$/;

export function makeApiKey(): NewApiKey {
  const random = randomBase62(RANDOM_LENGTH);
  const key = PREFIX + random + checksum(random);
  return { key, prefix: key.slice(0, SHOWN_LENGTH), hash: sha256(key) };
}

/** The hash under which a key is stored, or null if the text cannot be one of our keys. */
export function apiKeyHash(text: string): Buffer | null {
  if (!SHAPE.test(text)) return null;
  const random = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return text.endsWith(checksum(random)) ? sha256(text) : null;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: larger values would make the first digits more frequent.
      if (byte < 248 && text.length < length) text += DIGITS[byte % 62];
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = DIGITS.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
