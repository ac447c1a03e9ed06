import type { OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';
import { type DeliveredEvent, EVENT_DATA } from './deliveries.js';

/** How long the events of an organization are written after its last stream has ended, so that a stream can resume. */
const RESUME_S = 60;
/** The longest time between two calls of `keepListening` while a stream is open, and some reserve. */
const RENEWAL_S = 20;

/** Whether all events since a time have been written. */
export interface Listening {
  now: Date;
  /** From when on events may not have been written; null: all have been written. */
  missingSince: Date | null;
}

/**
 * Has all events of an organization written from now on, for a stream that has shown the events until `seen`; null: it begins.
 * Call it again at least every 20 s.
 */
export async function keepListening(db: DbSession, orgId: OrgId, seen: Date | null): Promise<Listening> {
  const [row] = await db.$queryRaw<{ now: Date; since: Date; before: Date | null }[]>`
    WITH t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    old AS MATERIALIZED (SELECT expires_at FROM event_listeners WHERE org_id = ${orgId}::uuid),
    kept AS (
      INSERT INTO event_listeners AS l (org_id, since, expires_at)
      SELECT ${orgId}::uuid, now, now + ${RESUME_S + RENEWAL_S}::int * interval '1 s' FROM t
      ON CONFLICT (org_id) DO UPDATE SET expires_at = greatest(l.expires_at, excluded.expires_at),
        since = CASE WHEN l.expires_at > excluded.since THEN l.since ELSE excluded.since END
      RETURNING since)
    SELECT t.now, kept.since, old.expires_at AS before FROM t CROSS JOIN kept LEFT JOIN old ON true`;
  if (!row) throw new Error('Postgres did not return the listener');
  const { now, since, before } = row;
  if (seen === null || seen >= since) return { now, missingSince: null };
  const left = before && before <= now ? before.getTime() - RESUME_S * 1_000 : 0;
  return { now, missingSince: new Date(Math.max(seen.getTime(), left)) };
}

/** Has the events of an organization written for 60 s more, unless another stream of it is open. */
export async function leaveListening(db: DbSession, orgId: OrgId): Promise<void> {
  await db.$executeRaw`
    UPDATE event_listeners SET expires_at = least(expires_at, now() + ${RESUME_S}::int * interval '1 s')
    WHERE org_id = ${orgId}::uuid`;
}

/** After the events up to `id` that the transaction `xid` wrote, and after everything that older transactions wrote. */
export interface WrittenPosition {
  xid: bigint;
  id: string;
}

export type WrittenEvent = DeliveredEvent & { position: WrittenPosition };

/** The events of an organization after a position, in the order in which their transactions began to write. See `listEvents`. */
export async function listWrittenEvents(
  db: DbSession,
  orgId: OrgId,
  { xid, id }: WrittenPosition,
  limit: number,
): Promise<{ events: WrittenEvent[]; isHeldBack: boolean }> {
  const rows = await db.$queryRaw<(Omit<DeliveredEvent, 'id'> & { id: string | null; xid: string; held: boolean })[]>`
    WITH held AS (
      SELECT (SELECT xid FROM webhook_events WHERE org_id = ${orgId}::uuid AND xid >= pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY xid, id LIMIT 1) IS NOT NULL AS held)
    SELECT held, p.id, p.type, p.data, p.created_at AS "createdAt", p.xid::text AS xid FROM held LEFT JOIN (
      SELECT e.id, e.type, ${EVENT_DATA}, e.created_at, e.xid FROM webhook_events e
      WHERE e.org_id = ${orgId}::uuid AND (e.xid, e.id) > (${xid.toString()}::xid8, ${id}::uuid)
        AND e.xid < pg_snapshot_xmin(pg_current_snapshot()) AND e.webhook_id IS NULL AND NOT e.is_quiet
      ORDER BY e.org_id, e.xid, e.id LIMIT ${limit}) AS p ON true
    ORDER BY p.xid, p.id`;
  const events = rows.flatMap(({ id, xid, held: _, ...event }) =>
    id === null ? [] : [{ id, ...event, position: { xid: BigInt(xid), id } }],
  );
  return { events, isHeldBack: rows[0]?.held ?? false };
}
