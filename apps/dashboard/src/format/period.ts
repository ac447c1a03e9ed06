export const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;

/** The units, for a select. */
export const UNIT_OPTIONS = (Object.keys(UNITS) as Unit[]).map((value) => ({ value, label: value })); // the keys of UNITS

/** A period in the largest unit of which it is a multiple. */
export function periodOf(seconds: number): { count: number; unit: Unit } {
  const unit = (['days', 'hours', 'minutes'] as const).find((one) => seconds > 0 && seconds % UNITS[one] === 0);
  return { count: seconds / UNITS[unit ?? 'seconds'], unit: unit ?? 'seconds' };
}
