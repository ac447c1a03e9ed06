import { type OrgId, QUOTAS } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** The kinds of things of which an organization has few: searches read all of them. */
export const NAMED_KINDS = ['template', 'schedule', 'webhook', 'limit', 'domain', 'member', 'key'] as const;
export type NamedKind = (typeof NAMED_KINDS)[number];

export interface NamedRow {
  kind: NamedKind;
  id: string;
  /** For people, and what a search finds it by. */
  name: string;
  /** A webhook: its URL. A schedule: the type of its jobs. Null for other kinds. */
  detail: string | null;
  status: string | null;
  createdAt: Date;
}

/** More than the quotas allow; members have no quota. */
const MAX_ROWS = Math.max(...Object.values(QUOTAS));

const COLUMNS: Readonly<Record<NamedKind, Prisma.Sql>> = {
  template: Prisma.sql`id::text, name, NULL, NULL, created_at FROM templates t WHERE org_id`,
  schedule: Prisma.sql`id::text, name, type, CASE WHEN enabled THEN 'active' ELSE 'paused' END, created_at FROM schedules t WHERE org_id`,
  webhook: Prisma.sql`id::text, coalesce(description, ''), url, CASE WHEN enabled THEN 'enabled' ELSE 'disabled' END, created_at FROM webhooks t WHERE org_id`,
  limit: Prisma.sql`name, name, NULL, CASE WHEN paused THEN 'paused' END, created_at FROM limits t WHERE org_id`,
  domain: Prisma.sql`id::text, domain, NULL, CASE WHEN verified_at IS NULL THEN 'pending' ELSE 'verified' END, created_at FROM domains t WHERE org_id`,
  member: Prisma.sql`t.user_id::text, u.email, NULL, NULL, t.joined_at FROM memberships t JOIN users u ON u.id = t.user_id WHERE t.org_id`,
  key: Prisma.sql`id::text, name, NULL, NULL, created_at FROM api_keys t WHERE org_id`,
};

/** An organization's rows of these kinds, of each kind the newest. */
export async function listNamed(db: DbSession, orgId: OrgId, kinds: readonly NamedKind[]): Promise<NamedRow[]> {
  const parts = kinds.map(
    (kind) => Prisma.sql`(
    SELECT ${kind} AS kind, ${COLUMNS[kind]} = ${orgId}::uuid ORDER BY 6 DESC LIMIT ${MAX_ROWS})`,
  );
  return db.$queryRaw<NamedRow[]>`
    SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) AS n(kind, id, name, detail, status, "createdAt")`;
}
