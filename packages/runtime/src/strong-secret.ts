import Joi, { type StringSchema } from 'joi';

/** Placeholders of example files, and common weak secrets. */
const PLACEHOLDER =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this)|example|placeholder|password|your[-_ ].*key|secret|qwerty|letmein/gi;
/** The case in which people write words. */
const WRITTEN = /^(?:[a-z]*|[A-Z]*|[A-Z][a-z]+(?:[A-Z][a-z]+)?)$/;

/**
 * In a random text of the minimum length each byte has more bits than this: 32 bytes then have more than can be
 * guessed.
 */
const MIN_BITS_PER_BYTE = 2;

/**
 * A secret that protects a service in production: long enough, no placeholder, and not regular. Its messages never
 * repeat the value.
 */
export function strongSecret({ minBytes }: { minBytes: number }): StringSchema {
  return Joi.string().custom((text: string, { message }) => {
    const weakness = secretWeakness(text, minBytes);
    return weakness === null
      ? text
      : message({ custom: `{{#label}} ${weakness}; generate one with: openssl rand -base64 33` });
  });
}

/** Why a secret is not strong, without repeating it; null if it is strong. */
export function secretWeakness(text: string, minBytes: number): string | null {
  if (Buffer.byteLength(text) < minBytes) return `must have at least ${minBytes} bytes`;
  if (hasPlaceholder(text)) return 'looks like a placeholder';
  return guessedBits(text) < minBytes * MIN_BITS_PER_BYTE ? 'is too easy to guess' : null;
}

/**
 * Whether it contains one of the words as a person writes it. About one of ten million random keys contains one in another
 * mixture of cases, as in `sEcReT`.
 */
function hasPlaceholder(text: string): boolean {
  const words = text.match(PLACEHOLDER) ?? [];
  return words.some((word) => word.split(/[^a-z]+/i).every((part) => WRITTEN.test(part)));
}

/**
 * An upper estimate of its bits, by how its characters and the steps between them vary: a repeated text counts once,
 * and neither `aaaa` nor `abcd` counts at all. It finds careless secrets, not clever ones.
 */
function guessedBits(text: string): number {
  const codes = [...text].map((char) => char.codePointAt(0) ?? 0);
  const unit = codes.slice(0, periodOf(codes));
  const steps = unit.map((code, n) => code - (unit[n - 1] ?? code));
  return unit.length * Math.min(entropyOf(unit), entropyOf(steps));
}

/** The length of the part that the text repeats. */
function periodOf(codes: readonly number[]): number {
  for (let period = 1; period < codes.length; period++) {
    if (codes.every((code, n) => n < period || code === codes[n - period])) return period;
  }
  return codes.length;
}

/** The Shannon entropy, in bits per element. */
function entropyOf(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / values.length);
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0);
}
