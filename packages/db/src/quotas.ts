import { assertNever, type OrgId, QUOTAS, type Quota } from '@jobline/contracts';
import type { DbSession } from './client.js';

/**
 * Whether the organization may have one more. To be called in the transaction that adds it: until that ends, no other one
 * of the organization gets an answer, so that simultaneous requests cannot pass the quota together.
 */
export async function holdQuota(tx: DbSession, orgId: OrgId, quota: Quota): Promise<boolean> {
  await tx.$executeRaw`SELECT FROM organizations WHERE id = ${orgId}::uuid FOR NO KEY UPDATE`;
  return (await count(tx, orgId, quota)) < QUOTAS[quota];
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
