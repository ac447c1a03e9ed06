import type { OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

/** A change of a limit that its waiting jobs must be adapted to. */
export interface LimitChange {
  orgId: OrgId;
  /** The limit may be deleted. */
  name: string;
  /** Different after each change. */
  version: string;
  /** Whether it was processed once already. */
  isRepeat: boolean;
  /** The limit exists and is ordered. */
  isOrdered: boolean;
  /** Some of its jobs may not start until they are held. */
  isPartlyHeld: boolean;
}

/**
 * Stores that a limit was created, changed or deleted, in the transaction that did it. `ordering`: the limit orders other jobs than
 * before. Those that were created before `heldUntil` are held, or all of them (null); the others do not start until they are.
 */
export async function markLimitChanged(
  tx: DbSession,
  orgId: OrgId,
  name: string,
  ordering?: { heldUntil: Date | null },
): Promise<void> {
  const heldUntil = ordering?.heldUntil?.toISOString() ?? null;
  await tx.$executeRaw`
    INSERT INTO limit_changes (org_id, name, changed_at, due_at, held_until)
    VALUES (${orgId}::uuid, ${name}, now(), now(), ${heldUntil}::timestamptz)
    ON CONFLICT (org_id, name) DO UPDATE SET changed_at = now(), due_at = now(),
      held_until = CASE WHEN ${ordering !== undefined} THEN excluded.held_until ELSE limit_changes.held_until END`;
}

/**
 * Lets the jobs of an ordered limit start that were created before `heldUntil`. Returns the new version; null: the limit has changed
 * since.
 */
export async function saveHeldUntil(
  db: DbSession,
  { orgId, name, version }: LimitChange,
  heldUntil: Date,
): Promise<string | null> {
  const [saved] = await db.$queryRaw<{ version: string }[]>`
    UPDATE limit_changes SET held_until = greatest(held_until, ${heldUntil.toISOString()}::timestamptz)
    WHERE org_id = ${orgId}::uuid AND name = ${name} AND xmin::text = ${version}
    RETURNING xmin::text AS version`;
  return saved?.version ?? null;
}

/** Changes to process now: one of each organization, in the order of their ids, at most `limit` after `after`. */
export function listLimitChanges(db: DbSession, after: OrgId | null, limit: number): Promise<LimitChange[]> {
  return db.$queryRaw<LimitChange[]>`
    SELECT DISTINCT ON (c.org_id) c.org_id AS "orgId", c.name, c.xmin::text AS version, c.due_at > c.changed_at AS "isRepeat",
      coalesce(l.ordered, false) AS "isOrdered", c.held_until IS NOT NULL AS "isPartlyHeld"
    FROM limit_changes c LEFT JOIN limits l ON l.org_id = c.org_id AND l.name = c.name
    WHERE c.due_at <= clock_timestamp() AND (${after}::uuid IS NULL OR c.org_id > ${after}::uuid)
    ORDER BY c.org_id, c.due_at, c.name LIMIT ${limit}`;
}

/** Processes a change once more, `afterMs` after it was made, and lets all of its jobs start, unless the limit has changed since. */
export async function repeatLimitChange(
  db: DbSession,
  { orgId, name, version }: LimitChange,
  afterMs: number,
): Promise<void> {
  await db.$executeRaw`
    UPDATE limit_changes SET due_at = changed_at + ${afterMs} * interval '1 ms', held_until = NULL
    WHERE org_id = ${orgId}::uuid AND name = ${name} AND xmin::text = ${version}`;
}

/** Forgets a change that is processed, unless the limit has changed since. */
export async function endLimitChange(db: DbSession, { orgId, name, version }: LimitChange): Promise<void> {
  await db.$executeRaw`
    DELETE FROM limit_changes WHERE org_id = ${orgId}::uuid AND name = ${name} AND xmin::text = ${version}`;
}
