import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys: `jl_`, 30 random base62 characters and the CRC32 of those in 6 more. The checksum lets a mistyped or made-up
 * key be refused before the database is asked, and lets scanners find leaked ones.
 */
export interface NewApiKey {
  /** Shown once, never stored. */
  key: string;
  /** The beginning, by which a person tells keys apart. */
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

/** The hash by which a key is stored, or null if the text cannot be a key of ours. */
export function apiKeyHash(text: string): Buffer | null {
  if (!SHAPE.test(text)) return null;
  const random = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return text.endsWith(checksum(random)) ? sha256(text) : null;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: what is over it would make the first digits likelier.
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
