import type { OrgId } from '@jobline/contracts';
import type { Domain } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';
import { byCreation, type Page, type PageRequest, toPage, upperBound } from '../postgres/page.js';

/** A domain that an organization sends email from once it is verified. */
export type DomainRow = Pick<Domain, 'id' | 'domain' | 'token' | 'verifiedAt' | 'createdAt'>;

/** Throws a unique violation if the organization already has that domain. */
export async function createDomain(
  db: DbSession,
  orgId: OrgId,
  domain: { domain: string; token: string },
): Promise<DomainRow> {
  return db.domain.create({ data: { ...domain, orgId }, omit: { orgId: true } });
}

export async function findDomain(db: DbSession, orgId: OrgId, id: string): Promise<DomainRow | null> {
  return db.domain.findFirst({ where: { orgId, id }, omit: { orgId: true } });
}

/** A page of an organization's domains, newest first. */
export async function listDomains(db: DbSession, orgId: OrgId, page: PageRequest): Promise<Page<DomainRow>> {
  const below = upperBound(page.cursor);
  const rows = await db.$queryRaw<DomainRow[]>`
    SELECT id, domain, token, verified_at AS "verifiedAt", created_at AS "createdAt"
    FROM domains WHERE org_id = ${orgId}::uuid AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid)
    ORDER BY created_at DESC, id DESC LIMIT ${page.limit + 1}`;
  return toPage(rows, page.limit, byCreation);
}

/**
 * Stores that the domain's DNS record was found now, unless it was found before. Null if the domain was removed
 * meanwhile.
 */
export async function verifyDomain(db: DbSession, orgId: OrgId, id: string): Promise<DomainRow | null> {
  const rows = await db.$queryRaw<DomainRow[]>`
    UPDATE domains SET verified_at = coalesce(verified_at, now()) WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid
    RETURNING id, domain, token, verified_at AS "verifiedAt", created_at AS "createdAt"`;
  return rows[0] ?? null;
}

/** Removes a domain. Returns its name, or null if the organization has no such domain. */
export async function deleteDomain(db: DbSession, orgId: OrgId, id: string): Promise<string | null> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    DELETE FROM domains WHERE org_id = ${orgId}::uuid AND id = ${id}::uuid RETURNING domain AS name`;
  return rows[0]?.name ?? null;
}

/** Whether the organization may send email from addresses of this domain, given in its normal spelling. */
export async function isDomainVerified(db: DbSession, orgId: OrgId, domain: string): Promise<boolean> {
  return (await db.domain.count({ where: { orgId, domain, verifiedAt: { not: null } } })) > 0;
}
