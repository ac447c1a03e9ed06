import type { OrgId } from '@jobline/contracts';
import { type AuditOrigin, recordAudit } from './audit.js';
import type { Db, DbSession } from './client.js';

/** So many sign at once: a worker signs the whole body once for each, and does nothing else meanwhile. */
const MAX_ACTIVE = 16;

/** The secrets that sign an organization's webhooks now: the current one first, then those that are about to retire. */
export async function activeWebhookSecrets(db: DbSession, orgId: OrgId): Promise<string[]> {
  const rows = await db.$queryRaw<{ secret: string }[]>`
    SELECT secret FROM webhook_secrets
    WHERE org_id = ${orgId}::uuid AND (retires_at IS NULL OR retires_at > now())
    ORDER BY retires_at DESC NULLS FIRST, created_at DESC
    LIMIT ${MAX_ACTIVE}`;
  return rows.map(({ secret }) => secret);
}

/**
 * Makes `secret` the current one; the one before signs too for another `overlapMs`, or until there are too many: then the
 * one that would retire first ends at once. There is always one current.
 */
export async function rotateWebhookSecret(
  db: Db,
  orgId: OrgId,
  rotation: { secret: string; overlapMs: number; origin: AuditOrigin },
): Promise<void> {
  await db.$transaction(async (tx) => {
    // Two rotations at once would each retire the same secret and leave two current ones. The lock lets rows that only
    // refer to the organization be written meanwhile.
    await tx.$executeRaw`SELECT 1 FROM organizations WHERE id = ${orgId}::uuid FOR NO KEY UPDATE`;
    await tx.$executeRaw`
      UPDATE webhook_secrets SET retires_at = now() + ${rotation.overlapMs} * interval '1 ms'
      WHERE org_id = ${orgId}::uuid AND retires_at IS NULL`;
    await tx.webhookSecret.create({ data: { orgId, secret: rotation.secret } });
    await tx.$executeRaw`
      DELETE FROM webhook_secrets WHERE id IN (
        SELECT id FROM webhook_secrets WHERE org_id = ${orgId}::uuid
        ORDER BY retires_at DESC NULLS FIRST, created_at DESC OFFSET ${MAX_ACTIVE})`;
    await recordAudit(tx, orgId, { ...rotation.origin, action: 'webhook_secret.rotated' });
  });
}

/** Deletes secrets that sign no more, `limit` at most, the oldest first. Answers with how many. */
export function deleteRetiredWebhookSecrets(db: DbSession, limit: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM webhook_secrets WHERE id IN (
      SELECT id FROM webhook_secrets WHERE retires_at < now() ORDER BY retires_at LIMIT ${limit})`;
}
