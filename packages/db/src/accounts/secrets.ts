import type { OrgId } from '@jobline/contracts';
import { newId, type SecretCipher } from '@jobline/runtime';
import type { Db, DbSession } from '../postgres/client.js';
import { type AuditOrigin, recordAudit } from './audit.js';
import { addWithinQuota } from './team.js';

/** A secret without its value. */
export interface SecretRow {
  name: string;
  hosts: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** A secret with its value, for a request to one of its hosts. */
export interface OpenSecret {
  name: string;
  value: string;
  hosts: readonly string[];
}

/** Creates a secret or replaces it. `full`: the organization has as many as it may have. */
export async function putSecret(
  db: Db,
  orgId: OrgId,
  secret: OpenSecret & { origin: AuditOrigin; cipher: SecretCipher },
): Promise<SecretRow | 'full'> {
  const { name, hosts, origin, cipher } = secret;
  const sealed = cipher.seal(secret.value, orgId);
  const audit = (tx: DbSession) =>
    recordAudit(tx, orgId, { ...origin, action: 'secret.set', target: { id: orgId, name } });
  const replaced = await db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<SecretRow[]>`
      UPDATE secrets SET secret = ${sealed}, hosts = ${hosts}::text[], updated_at = now()
      WHERE org_id = ${orgId}::uuid AND name = ${name}
      RETURNING name, hosts, created_at AS "createdAt", updated_at AS "updatedAt"`;
    if (row) await audit(tx);
    return row;
  });
  return (
    replaced ??
    addWithinQuota(db, orgId, 'secrets', async (tx) => {
      // Another request may have created it meanwhile.
      const [row] = await tx.$queryRaw<[SecretRow]>`
        INSERT INTO secrets (id, org_id, name, secret, hosts)
        VALUES (${newId()}::uuid, ${orgId}::uuid, ${name}, ${sealed}, ${hosts}::text[])
        ON CONFLICT (org_id, name) DO UPDATE SET secret = excluded.secret, hosts = excluded.hosts, updated_at = now()
        RETURNING name, hosts, created_at AS "createdAt", updated_at AS "updatedAt"`;
      await audit(tx);
      return row;
    })
  );
}

/** The organization's secrets by name. */
export function listSecrets(db: DbSession, orgId: OrgId): Promise<SecretRow[]> {
  return db.secret.findMany({
    where: { orgId },
    orderBy: { name: 'asc' },
    select: { name: true, hosts: true, createdAt: true, updatedAt: true },
  });
}

/** Returns whether there was one. */
export function deleteSecret(db: Db, orgId: OrgId, name: string, origin: AuditOrigin): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.secret.deleteMany({ where: { orgId, name } });
    if (count > 0) await recordAudit(tx, orgId, { ...origin, action: 'secret.deleted', target: { id: orgId, name } });
    return count > 0;
  });
}

export async function secretNames(db: DbSession, orgId: OrgId): Promise<ReadonlySet<string>> {
  const rows = await db.secret.findMany({ where: { orgId }, select: { name: true } });
  return new Set(rows.map(({ name }) => name));
}

/** The secrets of these names. Those that do not exist are missing. */
export async function openSecrets(
  db: DbSession,
  orgId: OrgId,
  names: readonly string[],
  cipher: SecretCipher,
): Promise<OpenSecret[]> {
  const rows = await db.secret.findMany({
    where: { orgId, name: { in: [...names] } },
    select: { name: true, hosts: true, secret: true },
  });
  return rows.map(({ name, hosts, secret }) => ({ name, hosts, value: cipher.open(secret, orgId) }));
}
