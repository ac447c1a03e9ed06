/** The text for an unknown value. It is a dash, never a zero. */
export const UNKNOWN = '–';

const exact = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const LARGEST_EXACT = 9_999;

export function formatExact(value: number | null | undefined): string {
  return isKnown(value) ? exact.format(value) : UNKNOWN;
}

/** Formats up to 9,999 exactly, larger numbers as 10K or 1.2M. */
export function formatNumber(value: number | null | undefined): string {
  if (!isKnown(value)) return UNKNOWN;
  return Math.abs(value) > LARGEST_EXACT ? compact.format(value) : exact.format(value);
}

/** Formats a part of a whole as a percentage: 0.7%, 12%. If the whole is zero, the percentage is unknown. */
export function formatShare(part: number, whole: number): string {
  if (!isKnown(part) || !isKnown(whole) || whole <= 0) return UNKNOWN;
  const percent = (part / whole) * 100;
  if (part > 0 && percent < 0.1) return '<0.1%';
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
}

/** `1 job`, `2 jobs`, `1,204 jobs`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
const BYTE_STEP = 1_024;

/** Formats a file size: 512 B, 1.2 KB, 34 MB. */
export function formatBytes(bytes: number | null | undefined): string {
  if (!isKnown(bytes)) return UNKNOWN;
  let value = bytes;
  let unit = 0;
  while (value >= BYTE_STEP && unit < BYTE_UNITS.length - 1) {
    value /= BYTE_STEP;
    unit++;
  }
  return `${unit > 0 && value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${BYTE_UNITS[unit]}`;
}

function isKnown(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** The text of an optional number, for a text input. Null is empty. */
export function toNumberInput(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

/** The number of a text input; null if it is empty. The text must be a number. */
export function fromNumberInput(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

/** Whether the text of an input is a number. */
export function isNumberText(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

/** A rule for text inputs with optional numbers. The API checks the range. */
export function isNumberInput(text: string): true | string {
  return text.trim() === '' || isNumberText(text) ? true : 'Enter a number, or leave this empty.';
}

export const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;

/** The units, for a select. */
export const UNIT_OPTIONS = (Object.keys(UNITS) as Unit[]).map((value) => ({ value, label: value })); // the keys of UNITS

/** A period in the largest unit of which it is a multiple. */
export function periodOf(seconds: number): { count: number; unit: Unit } {
  const unit = (['days', 'hours', 'minutes'] as const).find((one) => seconds > 0 && seconds % UNITS[one] === 0);
  return { count: seconds / UNITS[unit ?? 'seconds'], unit: unit ?? 'seconds' };
}
