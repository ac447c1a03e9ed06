import type { Db } from '../postgres/client.js';

/**
 * Whether the role of this connection could change the audit log: as the owner of its table, because an owner may drop
 * the trigger that guards it, or by privileges that the apps do not need.
 */
export async function mayRewriteAudit(db: Db): Promise<boolean> {
  const [row] = await db.$queryRaw<{ may_rewrite: boolean }[]>`
    SELECT pg_has_role(current_user, relowner, 'USAGE') OR has_table_privilege(oid, 'UPDATE, TRUNCATE, TRIGGER') AS may_rewrite
    FROM pg_class WHERE oid = to_regclass('audit_entries')`;
  return row?.may_rewrite ?? false;
}
