import { type Json, type JsonObject, type OrgId, REDACTED } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

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
export type ReserveMemory = (jsonBytes: number) => Promise<void>;

/**
 * SQL: the columns of a StoredPayload, of the view `jobs` with REDACTING_SETTINGS: those that decide whether it may be
 * shown, and all.
 */
export const REDACTION_COLUMNS = Prisma.sql`o.redact_keys AS "redactKeys", jobs.redacted_at IS NOT NULL AS "isDeleted"`;
export const PAYLOAD_COLUMNS = Prisma.sql`jobs.payload::text AS payload, ${REDACTION_COLUMNS}`;

/**
 * SQL: the settings of the organization of the view `jobs`, if its redaction applies to the job. Not now(), which may
 * be before the end of a job that the statement finds finished.
 */
export const REDACTING_SETTINGS = Prisma.sql`LEFT JOIN organization_settings o
  ON o.org_id = jobs.org_id AND jobs.finished_at <= clock_timestamp() - o.redact_after_days * interval '1 day'`;

/** Whether values of a job's payload are redacted. A large payload counts as having all redacted keys. */
export async function isRedacted(db: DbSession, orgId: OrgId, key: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ isRedacted: boolean }[]>`
    SELECT redacted_at IS NOT NULL OR redacted_keys(${orgId}::uuid, key, ${SEARCHED_BYTES}::int) IS NOT NULL AS "isRedacted"
    FROM finished_jobs WHERE key = ${key}::uuid`;
  return row?.isRedacted ?? false;
}

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

/** SQL: the keys of payloads that become the columns of the message `m`. */
const SOURCES = {
  recipient: Prisma.sql`ARRAY[coalesce(m.copied_as::text, 'to')]`,
  sender: Prisma.sql`'{from}'::text[]`,
  subject: Prisma.sql`'{subject}'::text[]`,
  body: Prisma.sql`'{body,html,text,message}'::text[]`,
} as const;

type MessageColumn = keyof typeof SOURCES;

/** SQL: a column of the message `m`, redacted if one of the keys of `r` is its source. */
export function shownColumn(column: MessageColumn): Prisma.Sql {
  const value = Prisma.raw(`m.${column}`);
  return Prisma.sql`CASE WHEN r.keys && ${SOURCES[column]} AND ${value} IS NOT NULL THEN ${REDACTED} ELSE ${value} END`;
}

/** SQL: the ids of the messages of the jobs of a CTE, with the keys of the jobs. */
export function messagesOf(jobs: 'gone' | 'r'): Prisma.Sql {
  const of = Prisma.raw(`${jobs} AS j JOIN messages m ON m.job_key = j.key`);
  return Prisma.sql`SELECT m.id, j.key FROM ${of} UNION ALL SELECT c.id, j.key FROM ${of} JOIN messages c ON c.copy_of = m.id`;
}

/** SQL: the events `e` that have values of the payload of their job. The words of the index of events by job. */
export const HAS_VALUES = Prisma.sql`(e.type LIKE 'message.%' OR e.type LIKE 'payment.%')`;

/** SQL: redacts the events about the messages and payments of the jobs of `r`. */
export const REDACT_EVENTS = Prisma.sql`
  UPDATE webhook_events e SET data = redact_event(e.data, r.keys)
  FROM r WHERE r.keys IS NOT NULL AND e.job_key = r.key AND ${HAS_VALUES}`;

/** Where a statement has many jobs, larger payloads are not searched for redacted keys: they count as having all of them. */
export const SEARCHED_BYTES = 16 * 1024;
/** So many bytes of payloads are searched for a page of messages. The others count as having all of the keys, too. */
export const SEARCHED_PAGE_BYTES = 100 * SEARCHED_BYTES;

/**
 * SQL: the redacted keys of the jobs of the CTE `gone`, also of jobs that finished too recently: after their deletion, the end of a
 * job is not known any more.
 */
export const KEYS_OF_GONE = Prisma.sql`
  SELECT gone.key, keys_to_redact(b.payload, o.redact_keys, ${SEARCHED_BYTES}::int) AS keys
  FROM gone JOIN organization_settings o ON o.org_id = gone.org_id AND o.redact_keys <> '{}'
    CROSS JOIN LATERAL (SELECT payload FROM submitted_jobs WHERE key = gone.key OFFSET 0) AS b`;
