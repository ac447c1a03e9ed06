import type { OrgId } from '@jobline/contracts';
import { SEALED_PREFIX, type SecretCipher } from '@jobline/runtime';
import { Prisma } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { type AuditOrigin, recordAudit } from './audit.js';

/**
 * How many secrets sign at the same time: a worker signs the whole body once for each, and does nothing else meanwhile.
 */
const MAX_ACTIVE = 16;

/**
 * The secrets that sign now: the current one first, then those that retire soon. `webhookId`: the webhook whose deliveries they
 * sign; null: those of the organization, which sign everything else.
 */
export async function activeWebhookSecrets(
  db: DbSession,
  orgId: OrgId,
  cipher: SecretCipher,
  webhookId: string | null = null,
): Promise<string[]> {
  const rows = await db.$queryRaw<{ secret: string }[]>`
    SELECT secret FROM webhook_secrets
    WHERE org_id = ${orgId}::uuid AND webhook_id IS NOT DISTINCT FROM ${webhookId}::uuid
      AND (retires_at IS NULL OR retires_at > now())
    ORDER BY retires_at DESC NULLS FIRST, created_at DESC
    LIMIT ${MAX_ACTIVE}`;
  return rows.map(({ secret }) => cipher.open(secret, orgId));
}

/** Makes `secret` the current one of an organization, or of a webhook, that has none. */
export async function addWebhookSecret(
  tx: DbSession,
  orgId: OrgId,
  { secret, cipher, webhookId = null }: { secret: string; cipher: SecretCipher; webhookId?: string | null },
): Promise<void> {
  await tx.webhookSecret.create({ data: { orgId, webhookId, secret: cipher.seal(secret, orgId) } });
}

/**
 * Makes `secret` the current one. The previous one also signs for another `overlapMs`, unless there are too many: then
 * the one that would retire first ends at once. There is always one current secret.
 */
export async function rotateWebhookSecret(
  db: Db,
  orgId: OrgId,
  rotation: { secret: string; overlapMs: number; origin: AuditOrigin; cipher: SecretCipher },
): Promise<void> {
  await db.$transaction(async (tx) => {
    await replaceSecret(tx, orgId, { ...rotation, webhookId: null });
    await recordAudit(tx, orgId, { ...rotation.origin, action: 'webhook_secret.rotated' });
  });
}

/** Like rotateWebhookSecret, for a webhook, and in a transaction that records the action. */
export async function replaceSecret(
  tx: DbSession,
  orgId: OrgId,
  rotation: { secret: string; overlapMs: number; cipher: SecretCipher; webhookId: string | null },
): Promise<void> {
  const { webhookId } = rotation;
  // Two simultaneous rotations would each retire the same secret and leave two current ones. The lock does not block
  // rows that only refer to the organization.
  await tx.$executeRaw`SELECT 1 FROM organizations WHERE id = ${orgId}::uuid FOR NO KEY UPDATE`;
  await tx.$executeRaw`
      UPDATE webhook_secrets SET retires_at = now() + ${rotation.overlapMs} * interval '1 ms'
      WHERE org_id = ${orgId}::uuid AND webhook_id IS NOT DISTINCT FROM ${webhookId}::uuid AND retires_at IS NULL`;
  await addWebhookSecret(tx, orgId, rotation);
  await tx.$executeRaw`
      DELETE FROM webhook_secrets WHERE id IN (
        SELECT id FROM webhook_secrets
        WHERE org_id = ${orgId}::uuid AND webhook_id IS NOT DISTINCT FROM ${webhookId}::uuid
        ORDER BY retires_at DESC NULLS FIRST, created_at DESC OFFSET ${MAX_ACTIVE})`;
}

const RESEAL_PAGE = 200;

/** The tables whose column `secret` is encrypted. */
const TABLES = [Prisma.sql`webhook_secrets`, Prisma.sql`secrets`] as const;

/**
 * Encrypts under the current key the secrets that are stored unencrypted or under an earlier key, and leaves those that
 * it cannot open. Returns how many it has encrypted. Safe to call by several processes at the same time; without a key
 * it does nothing.
 */
export async function resealSecrets(db: DbSession, cipher: SecretCipher): Promise<number> {
  let resealed = 0;
  for (const table of TABLES) resealed += await resealTable(db, cipher, table);
  return resealed;
}

async function resealTable(db: DbSession, cipher: SecretCipher, table: Prisma.Sql): Promise<number> {
  if (cipher.currentPrefix === null) return 0;
  let resealed = 0;
  for (let after: string | null = null; ; ) {
    const rows: Stored[] = await db.$queryRaw<Stored[]>`
      SELECT id::text, org_id::text AS "orgId", secret FROM ${table}
      WHERE NOT starts_with(secret, ${cipher.currentPrefix}) AND (${after}::text IS NULL OR id > ${after}::uuid)
      ORDER BY id LIMIT ${RESEAL_PAGE}`;
    for (const { id, orgId, secret } of rows.filter((row) => canOpen(row.secret, cipher))) {
      const sealed = cipher.seal(cipher.open(secret, orgId), orgId);
      resealed += await db.$executeRaw`
        UPDATE ${table} SET secret = ${sealed} WHERE id = ${id}::uuid AND secret = ${secret}`;
    }
    after = rows.at(-1)?.id ?? null;
    if (rows.length < RESEAL_PAGE) return resealed;
  }
}

/** How many secrets are encrypted under keys that this process does not have. */
export async function countUnreadableSecrets(db: DbSession, cipher: SecretCipher): Promise<number> {
  const keys = await db.$queryRaw<{ id: string; count: number }[]>`
    SELECT split_part(secret, ':', 3) AS id, count(*)::int AS count
    FROM (SELECT secret FROM webhook_secrets UNION ALL SELECT secret FROM secrets) AS s
    WHERE starts_with(secret, ${SEALED_PREFIX}) GROUP BY 1`;
  return keys.filter(({ id }) => !cipher.knows(id)).reduce((sum, { count }) => sum + count, 0);
}

interface Stored {
  id: string;
  orgId: string;
  secret: string;
}

function canOpen(secret: string, cipher: SecretCipher): boolean {
  return !secret.startsWith(SEALED_PREFIX) || cipher.knows(secret.split(':')[2] ?? '');
}
