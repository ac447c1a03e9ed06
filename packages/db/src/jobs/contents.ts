import type { Json, JsonObject, OrgId } from '@jobline/contracts';
import type { Db } from '../postgres/client.js';
import {
  PAYLOAD_COLUMNS,
  REDACTING_SETTINGS,
  type ReserveMemory,
  type StoredPayload,
  showPayload,
} from './redaction.js';

/** The payload and the result of a job in a list. Undefined: there was no space left for it. */
export interface JobContent {
  payload: JsonObject | undefined;
  result: Json | undefined;
}

/** What of each job is read. */
export interface Contents {
  payload: boolean;
  result: boolean;
}

type ContentRow = StoredPayload & { id: string; result: string | null };

/**
 * The payloads and results of these jobs, in this order, until they have `maxBytes` of JSON. Reads one job after another, so it reads
 * at most one that is not shown. Jobs that are not in the map were not read, or were deleted.
 */
export async function readContents(
  db: Db,
  orgId: OrgId,
  ids: readonly string[],
  { wanted, maxBytes, reserve }: { wanted: Contents; maxBytes: number; reserve: ReserveMemory },
): Promise<ReadonlyMap<string, JobContent>> {
  if (ids.length === 0) return new Map();
  await reserve(maxBytes);
  const rows = await db.$queryRaw<(ContentRow | (Record<keyof ContentRow, null> & { id: string }))[]>`
    WITH RECURSIVE read AS (
      SELECT 0 AS n, 0::bigint AS bytes, NULL AS id, NULL AS payload, NULL AS result, NULL::text[] AS "redactKeys", NULL::bool AS "isDeleted"
      UNION ALL
      SELECT read.n + 1, read.bytes + coalesce(octet_length(j.payload), 0) + coalesce(octet_length(j.result), 0),
        (${ids}::text[])[read.n + 1], j.payload, j.result, j."redactKeys", j."isDeleted"
      FROM read LEFT JOIN LATERAL (
        SELECT ${PAYLOAD_COLUMNS}, CASE WHEN ${wanted.result} THEN jobs.result::text END AS result
        FROM jobs ${REDACTING_SETTINGS} WHERE jobs.org_id = ${orgId}::uuid AND jobs.id = (${ids}::text[])[read.n + 1]
        OFFSET 0) AS j ON true
      WHERE read.n < ${ids.length}::int AND read.bytes <= ${maxBytes}::int)
    SELECT id, payload, result, "redactKeys", "isDeleted" FROM read WHERE n > 0 ORDER BY n`;
  const contents = new Map<string, JobContent>();
  let left = maxBytes;
  const take = <T>(text: string, parse: () => T): T | undefined => {
    left -= Buffer.byteLength(text);
    return left >= 0 ? parse() : undefined;
  };
  for (const row of rows) {
    if (row.payload === null) continue; // deleted meanwhile
    const payload = wanted.payload ? take(row.payload, () => showPayload(row).payload) : undefined;
    const { result } = row;
    // The cast: stored as JSON.
    contents.set(row.id, { payload, result: result === null ? null : take(result, () => JSON.parse(result) as Json) });
    if (left < 0) break;
  }
  return contents;
}
