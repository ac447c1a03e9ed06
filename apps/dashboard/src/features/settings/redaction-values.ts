import type { Settings } from '@jobline/client';

type Redact = Settings['redact'];

/** The values of the form. */
export interface RedactionValues {
  payload_keys: string[];
  after_days: string;
}

export function valuesOf({ payload_keys, after_days }: Redact): RedactionValues {
  return { payload_keys, after_days: String(after_days) };
}

export function redactOf({ payload_keys, after_days }: RedactionValues): Redact {
  return { payload_keys, after_days: Number(after_days) };
}

/** The keys whose values are deleted by a change, or are deleted sooner than before. */
export function keysDeletedBy(before: Redact, after: Redact): string[] {
  if (after.after_days < before.after_days) return after.payload_keys;
  return after.payload_keys.filter((key) => !before.payload_keys.includes(key));
}
