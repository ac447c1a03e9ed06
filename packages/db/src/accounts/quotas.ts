import { assertNever, type OrgId, QUOTAS, type Quota } from '@jobline/contracts';
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
  return changeTeam(db, orgId, async (tx) => ((await count(tx, orgId, quota)) < QUOTAS[quota] ? add(tx) : 'full'));
}

function count(tx: DbSession, orgId: OrgId, quota: Quota): Promise<number> {
  const where = { orgId };
  switch (quota) {
    case 'api_keys':
      return tx.apiKey.count({ where });
    case 'domains':
      return tx.domain.count({ where });
    case 'sender_ids':
      return tx.senderId.count({ where });
    case 'templates':
      return tx.template.count({ where });
    default:
      return assertNever(quota);
  }
}
