import type { AlertSettings } from './alert.js';

/** What is shown and stored in place of a redacted value. */
export const REDACTED = '[redacted]';

/** How many names of keys there may be, and how long redaction may wait. */
export const REDACT_LIMITS = { keys: 50, afterDays: 30 } as const;

/** Pattern of the name of a redacted key: no U+0000 and no broken surrogates, which the database could not store. */
export const REDACTED_KEY_PATTERN = /^[^\0\p{Cs}]{1,128}$/u;

/** Which values of payloads are redacted, and when. */
export interface RedactSettings {
  /** The names of their keys. */
  payload_keys: string[];
  /** How long after the end of the job. */
  after_days: number;
}

/** The settings of an organization, as the API shows them. */
export interface SettingsView {
  /** Finished jobs are deleted after this time; null: when the operator wants it. */
  retention_days: number | null;
  redact: RedactSettings;
  alerts: AlertSettings;
}
