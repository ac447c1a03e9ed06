import { type OrgId, QUOTAS, type Quota } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { changeTeam } from './team.js';

/**
 * Adds one item that counts against a quota of an organization; `full`, and nothing done, if the quota is used up.
 * Additions to one organization run one after the other, so that simultaneous requests cannot exceed the quota
 * together.
 */
export function addWithinQuota<T>(
  db: Db,
  orgId: OrgId,
  quota: Quota,
  add: (tx: DbSession) => Promise<T>,
): Promise<T | 'full'> {
  return changeTeam(db, orgId, async (tx) => {
    // A quota has the name of the table that it limits.
    const [{ used }] = await tx.$queryRaw<[{ used: number }]>`
      SELECT count(*)::int AS used FROM ${Prisma.raw(quota)} WHERE org_id = ${orgId}::uuid`;
    return used < QUOTAS[quota] ? add(tx) : 'full';
  });
}
