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
  ...entries('\u200b\u2060\ufeff\u00ad', ''),
]);
/** Invisible, but what stands beside them looks otherwise without them: emoji of several, letters of some scripts. */
const JOINERS: ReadonlyMap<string, string> = new Map(entries('\u200c\u200d\ufe0e\ufe0f', ''));

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
  const units = signs.map((sign) => (isGsm ? (GSM7_TWO.has(sign) ? 2 : 1) : sign.length));
  return {
    characters: signs.length,
    segments: Math.max(1, Math.ceil(signs.length / SEGMENT)),
    encoding: isGsm ? 'GSM-7' : 'Unicode',
    parts: isGsm ? partsOf(units, 160, 153) : partsOf(units, 70, 67),
    offenders,
  };
}

/** The text with every offender replaced that can be. */
export function replaceOffenders(text: string): string {
  const signs = Array.from(text);
  const replacements = replacementsIn(signs);
  return signs.map((sign) => (isGsm7(sign) ? sign : (replacements.get(sign) ?? sign))).join('');
}

/** A character that may be invisible, by a name to show. */
export function nameOf(character: string): string {
  if (/^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]$/u.test(character)) {
    const code = character.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')} (invisible)`;
  }
  return character;
}

function offendersOf(signs: readonly string[]): Offender[] {
  const counts = new Map<string, number>();
  for (const sign of signs) if (!isGsm7(sign)) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const replacements = replacementsIn(signs);
  return [...counts].map(([character, count]) => ({
    character,
    count,
    replacement: replacements.get(character) ?? null,
  }));
}

function isGsm7(sign: string): boolean {
  return GSM7.has(sign) || GSM7_TWO.has(sign);
}

/** Joiners go only where all else is GSM-7 then: a family that stays Unicode would fall apart for nothing. */
function replacementsIn(signs: readonly string[]): ReadonlyMap<string, string> {
  const withJoiners = new Map([...REPLACEMENTS, ...JOINERS]);
  return signs.every((sign) => isGsm7(sign) || withJoiners.has(sign)) ? withJoiners : REPLACEMENTS;
}

/** Each of several parts loses room to the header that joins them, and none ends amid a character of two units. */
function partsOf(units: readonly number[], alone: number, joined: number): number {
  if (units.reduce((sum, unit) => sum + unit, 0) <= alone) return 1;
  let parts = 1;
  let used = 0;
  for (const unit of units) {
    if (used + unit > joined) {
      parts += 1;
      used = 0;
    }
    used += unit;
  }
  return parts;
}

function entries(from: string, to: string): [string, string][] {
  return Array.from(from, (sign) => [sign, to]);
}
