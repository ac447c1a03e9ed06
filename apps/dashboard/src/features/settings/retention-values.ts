import type { Settings } from '@jobline/client';

/** The values of the form. */
export interface RetentionValues {
  keep: 'installation' | 'days';
  /** Used if `keep` is `days`. */
  retention_days: string;
}

export function valuesOf(days: Settings['retention_days']): RetentionValues {
  return days === null ? { keep: 'installation', retention_days: '' } : { keep: 'days', retention_days: String(days) };
}

export function daysOf({ keep, retention_days: days }: RetentionValues): number | null {
  return keep === 'days' ? Number(days) : null;
}

/** Whether jobs are deleted sooner than before. */
export function isSooner(before: number | null, after: number | null): boolean {
  return after !== null && (before === null || after < before);
}
