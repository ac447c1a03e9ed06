import { type JsonObject, REDACTED } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';

/** A stored payload, and what decides whether it may be shown. */
export interface StoredPayload {
  /** JSON text: the driver's own JSON reader would lose a "__proto__" key. */
  payload: string;
  /** The keys that its organization redacts in jobs that ended as long ago as this one; null: none. */
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

/** SQL: the columns of a StoredPayload, of the view `jobs` with REDACTING_SETTINGS. */
export const PAYLOAD_COLUMNS = Prisma.sql`jobs.payload::text AS payload, o.redact_keys AS "redactKeys",
  jobs.redacted_at IS NOT NULL AS "isDeleted"`;

/** SQL: the settings of the organization of the view `jobs`, if its redaction applies to the job. */
export const REDACTING_SETTINGS = Prisma.sql`LEFT JOIN organization_settings o
  ON o.org_id = jobs.org_id AND jobs.finished_at <= now() - o.redact_after_days * interval '1 day'`;

/** The only way from a stored payload to a payload that is shown or submitted again. */
export function showPayload({ payload, redactKeys, isDeleted }: StoredPayload): ShownPayload {
  const shown = redactPayload(payload, redactKeys ?? []);
  return { ...shown, isRedacted: isDeleted || shown.isRedacted };
}

/** Parses a payload and replaces the values of these keys, at any depth. Names of keys are compared exactly. */
export function redactPayload(text: string, keys: readonly string[]): ShownPayload {
  const redacted = new Set(keys);
  let isRedacted = false;
  // A function, because `this` is the object that has the key. The index of a list is not a key.
  function redact(this: unknown, key: string, value: unknown): unknown {
    if (!redacted.has(key) || Array.isArray(this)) return value;
    isRedacted = true;
    return REDACTED;
  }
  // The cast: only objects are stored as payloads.
  const payload = JSON.parse(text, redacted.size === 0 ? undefined : redact) as JsonObject;
  return { payload, isRedacted };
}
