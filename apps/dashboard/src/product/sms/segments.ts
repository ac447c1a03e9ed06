/** The basic character set of GSM 03.38. Each character takes one 7-bit unit. */
const GSM7 = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** The extension table of GSM 03.38. Each character takes two units: an escape and the character. */
const GSM7_TWO = new Set('^{}[]~\\|€\f');

/** Characters that word processors insert, with their equivalents in GSM-7. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...entries('‘’‚‛′`´ʼ', "'"),
  ...entries('“”„‟″«»', '"'),
  ...entries('‐‑‒–—―−', '-'),
  ...entries('…', '...'),
  ...entries('\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t', ' '),
  ...entries('\u200b\u2060\ufeff\u00ad', ''),
]);
/** Invisible characters that change their neighbors, such as in combined emoji and in some scripts. */
const JOINERS: ReadonlyMap<string, string> = new Map(entries('\u200c\u200d\ufe0e\ufe0f', ''));

/** The number of code points that the service counts as one segment. */
const SEGMENT = 160;

/** A character that is not in GSM-7. */
export interface UnicodeCharacter {
  character: string;
  /** The equivalent in GSM-7: null if there is none, '' if the character is invisible anyway. */
  replacement: string | null;
  count: number;
}

export interface SmsCount {
  /** The number of code points. */
  characters: number;
  /** The number of segments, as the service records it. */
  segments: number;
  /** The encoding that a carrier is likely to use. */
  encoding: 'GSM-7' | 'Unicode';
  /** The number of parts that a carrier is likely to send. */
  parts: number;
  /** The characters that require Unicode, in the order of their first occurrence. */
  unicode: readonly UnicodeCharacter[];
}

export function countSms(text: string): SmsCount {
  const characters = Array.from(text);
  const unicode = unicodeIn(characters);
  const isGsm = unicode.length === 0;
  const units = characters.map((one) => (isGsm ? (GSM7_TWO.has(one) ? 2 : 1) : one.length));
  return {
    characters: characters.length,
    segments: Math.max(1, Math.ceil(characters.length / SEGMENT)),
    encoding: isGsm ? 'GSM-7' : 'Unicode',
    parts: isGsm ? partsOf(units, 160, 153) : partsOf(units, 70, 67),
    unicode,
  };
}

/** Replaces every Unicode character that has an equivalent in GSM-7. */
export function toGsm7(text: string): string {
  const characters = Array.from(text);
  const replacements = replacementsFor(characters);
  return characters.map((one) => (isGsm7(one) ? one : (replacements.get(one) ?? one))).join('');
}

/** Returns a visible name for a character. Invisible characters are named by their code point. */
export function nameOf(character: string): string {
  if (/^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]$/u.test(character)) {
    const code = character.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')} (invisible)`;
  }
  return character;
}

function unicodeIn(characters: readonly string[]): UnicodeCharacter[] {
  const counts = new Map<string, number>();
  for (const one of characters) if (!isGsm7(one)) counts.set(one, (counts.get(one) ?? 0) + 1);
  const replacements = replacementsFor(characters);
  return [...counts].map(([character, count]) => ({
    character,
    count,
    replacement: replacements.get(character) ?? null,
  }));
}

function isGsm7(character: string): boolean {
  return GSM7.has(character) || GSM7_TWO.has(character);
}

/** Removes joiners only if the result is GSM-7. Otherwise a combined emoji would be split without any benefit. */
function replacementsFor(characters: readonly string[]): ReadonlyMap<string, string> {
  const withJoiners = new Map([...REPLACEMENTS, ...JOINERS]);
  return characters.every((one) => isGsm7(one) || withJoiners.has(one)) ? withJoiners : REPLACEMENTS;
}

/**
 * Each of several parts has less capacity because of a header. A character of two units is never split between parts.
 */
function partsOf(units: readonly number[], capacity: number, capacityWithHeader: number): number {
  if (units.reduce((sum, unit) => sum + unit, 0) <= capacity) return 1;
  let parts = 1;
  let used = 0;
  for (const unit of units) {
    if (used + unit > capacityWithHeader) {
      parts += 1;
      used = 0;
    }
    used += unit;
  }
  return parts;
}

function entries(from: string, to: string): [string, string][] {
  return Array.from(from, (character) => [character, to]);
}
