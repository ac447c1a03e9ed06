import type { OrgId } from '@jobline/contracts';
import {
  type AuditOrigin,
  type Db,
  type DomainRow,
  findDomain,
  recordAudit,
  verifyDomain as verifyDomainRow,
} from '@jobline/db';
import { decideProof, proofRecord } from '@jobline/messaging';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { checkedDomainView, toDomainView } from '../../../views/sender-view.js';

/** Looks up the DNS record of a domain now. A domain that was verified once stays verified until it is removed. */
export const verifyDomain = defineEndpoint({
  method: 'post',
  path: '/org/domains/:id/verify',
  summary: 'Verify a domain',
  auth: 'bearer',
  right: 'senders',
  needs: ['db', 'lookUpTxt'],
  limits: { org: 'verify' },
  params: { id: UUID_PATTERN },
  responses: { 200: json('The domain, and the reason if it is not verified.', checkedDomainView) },
  async handle({ deps, principal, origin, params }) {
    const row = await findDomain(deps.db, principal.orgId, params.id);
    if (!row) throw notFound();
    if (row.verifiedAt) return { status: 200, body: { ...toDomainView(row), reason: null } };
    const record = proofRecord(row.domain, row.token);
    const reason = decideProof(record, await deps.lookUpTxt(record.name));
    const checked = reason === null ? await verify(deps.db, principal.orgId, row.id, origin) : row;
    if (!checked) throw notFound();
    return { status: 200, body: { ...toDomainView(checked), reason } };
  },
});

/** Null: the domain was removed meanwhile. */
function verify(db: Db, orgId: OrgId, id: string, origin: AuditOrigin): Promise<DomainRow | null> {
  return db.$transaction(async (tx) => {
    const row = await verifyDomainRow(tx, orgId, id);
    const target = row && { id, name: row.domain };
    if (target) await recordAudit(tx, orgId, { ...origin, action: 'domain.verified', target });
    return row;
  });
}
