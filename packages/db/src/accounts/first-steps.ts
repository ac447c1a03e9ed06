import { type FirstStep, NEW_ORGANIZATION_DAYS, type OrgId } from '@jobline/contracts';
import type { DbSession } from '../postgres/client.js';

/** Which of the first steps an organization has done; null: it is not new. Each is one look at an index. */
export async function findFirstSteps(db: DbSession, orgId: OrgId): Promise<Record<FirstStep, boolean> | null> {
  const [row] = await db.$queryRaw<Record<FirstStep, boolean>[]>`
    SELECT EXISTS (SELECT FROM live_jobs WHERE org_id = o.id) OR EXISTS (SELECT FROM finished_jobs WHERE org_id = o.id) AS job,
      EXISTS (SELECT FROM api_keys WHERE org_id = o.id) AS api_key,
      EXISTS (SELECT FROM domains WHERE org_id = o.id AND verified_at IS NOT NULL)
        OR EXISTS (SELECT FROM sender_ids WHERE org_id = o.id) AS sender,
      EXISTS (SELECT FROM templates WHERE org_id = o.id) AS template,
      EXISTS (SELECT FROM memberships WHERE org_id = o.id OFFSET 1)
        OR EXISTS (SELECT FROM invites WHERE org_id = o.id AND consumed_at IS NULL) AS teammate,
      EXISTS (
        SELECT FROM organization_settings s
        WHERE s.org_id = o.id AND (s.failure_rate_percent IS NOT NULL OR s.oldest_waiting_seconds IS NOT NULL)) AS alert
    FROM organizations o
    WHERE o.id = ${orgId}::uuid AND o.created_at > now() - ${NEW_ORGANIZATION_DAYS}::int * interval '1 day'`;
  return row ?? null;
}
