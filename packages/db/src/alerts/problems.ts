import type { OrgId, ProblemKind } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

/** Something of an organization that does not work now. */
export interface ProblemRow {
  kind: ProblemKind;
  /** The kind of an alert, a job type, the id of a webhook, or the name of a limit. */
  id: string;
  /** The description or the address of a webhook; otherwise the id. */
  name: string;
  /** What raised an alert; 0 for the other kinds. */
  value: number;
  since: Date;
}

/** Types of pending jobs that are examined, and the oldest jobs of each. */
const TYPES = 100;
const JOBS = 20;

/** The problems of an organization. `liveTypes`: the job types that live workers handle. */
export function listProblems(db: DbSession, orgId: OrgId, liveTypes: readonly string[]): Promise<ProblemRow[]> {
  return db.$queryRaw<ProblemRow[]>`
    WITH RECURSIVE types(type, n) AS (
      (SELECT type, 1 FROM live_jobs WHERE org_id = ${orgId}::uuid AND status = 'pending' ORDER BY org_id, type LIMIT 1)
      UNION ALL
      SELECT x.type, types.n + 1 FROM types, LATERAL (
        SELECT type FROM live_jobs WHERE org_id = ${orgId}::uuid AND status = 'pending' AND live_jobs.type > types.type
        ORDER BY org_id, type LIMIT 1) AS x
      WHERE types.n < ${TYPES}::int)
    SELECT 'alert' AS kind, kind::text AS id, kind::text AS name, value, raised_at AS since
    FROM alerts WHERE org_id = ${orgId}::uuid AND resolved_at IS NULL
    UNION ALL
    SELECT 'type', t.type, t.type, 0, w.since FROM types t, LATERAL (
      SELECT min(j.run_at) AS since FROM (
        SELECT run_at, place FROM live_jobs WHERE org_id = ${orgId}::uuid AND live_jobs.type = t.type AND status = 'pending'
        ORDER BY created_at, id LIMIT ${JOBS}) AS j
      WHERE j.run_at < now() - interval '1 min' AND j.place NOT IN ('blocked', 'failing')) AS w
    WHERE t.type <> ALL (${liveTypes}::text[]) AND w.since IS NOT NULL
    UNION ALL
    SELECT 'webhook', id::text, coalesce(description, url), 0, failing_since
    FROM webhooks WHERE org_id = ${orgId}::uuid AND enabled AND failing_since IS NOT NULL
    UNION ALL
    SELECT 'limit', name, name, 0, held_since FROM limit_holds WHERE org_id = ${orgId}::uuid AND held_since IS NOT NULL`;
}
