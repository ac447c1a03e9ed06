import { type Json, type JsonObject, REDACTED } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';

/** A stored payload, and what decides whether it may be shown. */
export interface StoredPayload {
  /** JSON text: the driver's own JSON reader would lose a "__proto__" key. */
  payload: string;
  /** The keys that its organization redacts in jobs that finished as long ago as this one; null: none. */
  redactKeys: string[] | null;
  /** Whether values of it have been deleted. */
  isDeleted: boolean;
}

/** A payload as it may be shown. */
export interface ShownPayload {
  payload: JsonObject;
  /** Whether values of it are redacted: then the job must not run again with it. */
  isRedacted: boolean;
}

/**
 * Waits for the memory to read and parse stored JSON of this size. A few simultaneous requests for payloads of a megabyte would use
 * all memory of the process: parsed, such a payload can have 22 MiB.
 */
export type Reserve = (jsonBytes: number) => Promise<void>;

/** SQL: the columns of a StoredPayload, of the view `jobs` with REDACTING_SETTINGS: those that decide whether it may be shown, and all. */
export const REDACTION_COLUMNS = Prisma.sql`o.redact_keys AS "redactKeys", jobs.redacted_at IS NOT NULL AS "isDeleted"`;
export const PAYLOAD_COLUMNS = Prisma.sql`jobs.payload::text AS payload, ${REDACTION_COLUMNS}`;

/**
 * SQL: the settings of the organization of the view `jobs`, if its redaction applies to the job. Not now(), which may be before the end of
 * a job that the statement finds finished.
 */
export const REDACTING_SETTINGS = Prisma.sql`LEFT JOIN organization_settings o
  ON o.org_id = jobs.org_id AND jobs.finished_at <= clock_timestamp() - o.redact_after_days * interval '1 day'`;

/** The only way from a stored payload to a payload that is shown or submitted again. */
export function showPayload({ payload, redactKeys, isDeleted }: StoredPayload): ShownPayload {
  const shown = redactPayload(payload, redactKeys ?? []);
  return { ...shown, isRedacted: isDeleted || shown.isRedacted };
}

/** Parses a payload and replaces the values of these keys, at any depth. Names of keys are compared exactly. */
export function redactPayload(text: string, keys: readonly string[]): ShownPayload {
  // The cast: only objects are stored as payloads.
  const payload = JSON.parse(text) as JsonObject;
  return { payload, isRedacted: keys.length > 0 && redactIn(payload, new Set(keys)) };
}

/**
 * Returns whether the value has one of the keys. A walk, because a function for each value that JSON.parse calls takes half a second
 * for a megabyte. The depth of payloads is limited.
 */
function redactIn(value: Json, keys: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let hasKey = false;
  if (Array.isArray(value)) {
    for (const item of value) hasKey = redactIn(item, keys) || hasKey;
    return hasKey;
  }
  for (const key of Object.keys(value)) {
    const isRedacted = keys.has(key);
    // An own property, also if its name is "__proto__".
    if (isRedacted) value[key] = REDACTED;
    hasKey = isRedacted || redactIn(value[key] ?? null, keys) || hasKey;
  }
  return hasKey;
}
