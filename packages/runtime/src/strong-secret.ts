import Joi, { type StringSchema } from 'joi';

/** What people leave in example files, and what they write when they are asked for a secret and in a hurry. */
const PLACEHOLDER =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this)|example|placeholder|password|your[-_ ]|secret|qwerty|letmein/i;

/** Of what was made by chance, each byte of the least length has more than this: at 32 bytes, more bits than can be tried out. */
const MIN_BITS_PER_BYTE = 2;

/**
 * A secret that guards a service in production: long enough, no placeholder, and not so regular that it was hardly made by
 * chance. What it says of a fault never repeats the value.
 */
export function strongSecret({ minBytes }: { minBytes: number }): StringSchema {
  return Joi.string().custom((text: string, { message }) => {
    const fault = secretWeakness(text, minBytes);
    return fault === null ? text : message({ custom: `{{#label}} ${fault}; take one from: openssl rand -base64 33` });
  });
}

/** Why a secret is not a strong one, without repeating it; null if it is. */
export function secretWeakness(text: string, minBytes: number): string | null {
  if (Buffer.byteLength(text) < minBytes) return `must have at least ${minBytes} bytes`;
  if (PLACEHOLDER.test(text)) return 'looks like a placeholder';
  return guessedBits(text) < minBytes * MIN_BITS_PER_BYTE ? 'is too easy to guess' : null;
}

/**
 * At most so many bits are in it, by how its characters and the steps between them vary: a repeated text counts once, and
 * neither `aaaa` nor `abcd` counts at all. An estimate from above: it finds what is careless, not what is clever.
 */
function guessedBits(text: string): number {
  const codes = [...text].map((char) => char.codePointAt(0) ?? 0);
  const unit = codes.slice(0, periodOf(codes));
  const steps = unit.map((code, n) => code - (unit[n - 1] ?? code));
  return unit.length * Math.min(entropyOf(unit), entropyOf(steps));
}

/** After how many characters it begins anew. */
function periodOf(codes: readonly number[]): number {
  for (let period = 1; period < codes.length; period++) {
    if (codes.every((code, n) => n < period || code === codes[n - period])) return period;
  }
  return codes.length;
}

/** Shannon's, in bits per element. */
function entropyOf(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / values.length);
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0);
}
