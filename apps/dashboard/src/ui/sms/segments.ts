/** GSM 03.38: one 7-bit unit each. */
const GSM7 = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Its extension table: an escape and a unit, so two. */
const GSM7_TWO = new Set('^{}[]~\\|€\f');

/** What word processors put in, and what says the same in GSM-7. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...entries('‘’‚‛′`´ʼ', "'"),
  ...entries('“”„‟″«»', '"'),
  ...entries('‐‑‒–—―−', '-'),
  ...entries('…', '...'),
  ...entries('\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t', ' '),
  ...entries('\u200b\u200c\u200d\u2060\ufeff\u00ad', ''),
]);

/** How many code points the service counts as one segment. */
const SEGMENT = 160;

export interface Offender {
  character: string;
  /** Null where nothing says the same; '' where it is invisible anyway. */
  replacement: string | null;
  count: number;
}

export interface SmsCount {
  /** Code points. */
  characters: number;
  /** As the service records them. */
  segments: number;
  /** What a carrier is likely to make of it. */
  encoding: 'GSM-7' | 'Unicode';
  parts: number;
  /** What turns it to Unicode, in order of appearance. */
  offenders: readonly Offender[];
}

export function countSms(text: string): SmsCount {
  const signs = Array.from(text);
  const offenders = offendersOf(signs);
  const isGsm = offenders.length === 0;
  const units = isGsm ? signs.reduce((sum, sign) => sum + (GSM7_TWO.has(sign) ? 2 : 1), 0) : text.length;
  return {
    characters: signs.length,
    segments: Math.max(1, Math.ceil(signs.length / SEGMENT)),
    encoding: isGsm ? 'GSM-7' : 'Unicode',
    parts: isGsm ? partsOf(units, 160, 153) : partsOf(units, 70, 67),
    offenders,
  };
}

/** The text with every offender replaced that can be; with a character given, only that one. */
export function replaceOffenders(text: string, character?: string): string {
  return Array.from(text)
    .map((sign) =>
      isGsm7(sign) || (character !== undefined && sign !== character) ? sign : (REPLACEMENTS.get(sign) ?? sign),
    )
    .join('');
}

/** A character that may be invisible, by a name to show. */
export function nameOf(character: string): string {
  if (/^[\s\p{Cf}]$/u.test(character)) {
    const code = character.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')} (invisible)`;
  }
  return character;
}

function offendersOf(signs: readonly string[]): Offender[] {
  const counts = new Map<string, number>();
  for (const sign of signs) if (!isGsm7(sign)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return [...counts].map(([character, count]) => ({
    character,
    count,
    replacement: REPLACEMENTS.get(character) ?? null,
  }));
}

function isGsm7(sign: string): boolean {
  return GSM7.has(sign) || GSM7_TWO.has(sign);
}

/** Each of several parts loses room to the header that joins them. */
function partsOf(units: number, alone: number, joined: number): number {
  return units <= alone ? 1 : Math.ceil(units / joined);
}

function entries(from: string, to: string): [string, string][] {
  return Array.from(from, (sign) => [sign, to]);
}
