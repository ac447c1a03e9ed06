import { randomBytes } from 'node:crypto';
import { DOMAIN_STATUSES, type DomainStatus, type OrgId } from '@jobline/contracts';
import {
  type AuditOrigin,
  addWithinQuota,
  createDomain as createDomainRow,
  type Db,
  type DomainRow,
  findDomain,
  listDomains as listDomainsRows,
  recordAudit,
  verifyDomain as verifyDomainRow,
} from '@jobline/db';
import { decideProof, proofRecord, readDomainName } from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { notFound, orNameTaken, quotaReached } from '../http/errors.js';
import { fieldsOf, uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { timestamp, view } from '../http/view.js';
import { defineListEndpoint, defineReadEndpoint, defineRemovalEndpoint } from './row-endpoints.js';

type DomainView = ReturnType<typeof toDomainView>;

const domain = {
  id: uuid(),
  domain: Joi.string().description('In lower case and punycode.'),
  status: Joi.valid(...DOMAIN_STATUSES),
  record: Joi.object<DomainView['record']>({
    type: Joi.valid('TXT').required(),
    name: Joi.string().required(),
    value: Joi.string().required(),
  }).description('The DNS record to publish, so that the domain can be verified.'),
  verified_at: timestamp().allow(null),
  created_at: timestamp(),
};

const domainView = view<DomainView>('Domain', domain);

const checkedDomainView = view<DomainView & { reason: string | null }>('CheckedDomain', {
  ...domain,
  reason: Joi.string().allow(null).description('Why the domain is still pending; null: it is verified.'),
});

function toDomainView(row: DomainRow) {
  const status: DomainStatus = row.verifiedAt ? 'verified' : 'pending';
  return {
    id: row.id,
    domain: row.domain,
    status,
    record: proofRecord(row.domain, row.token),
    verified_at: row.verifiedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

const TOKEN_BYTES = 16;

/** Adds a domain to send email from. It can be used once its ownership is verified by DNS. */
export const createDomain = defineEndpoint({
  method: 'post',
  path: '/org/domains',
  summary: 'Add a domain to send email from',
  right: 'senders',
  needs: ['db'],
  body: fieldsOf({ domain: domainName() }),
  responses: { 201: json('The domain, with the DNS record to publish.', domainView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const row = await addWithinQuota(deps.db, principal.orgId, 'domains', async (tx) => {
      const made = await createDomainRow(tx, principal.orgId, { domain: body.domain, token });
      const target = { id: made.id, name: made.domain };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'domain.added', target });
      return made;
    }).catch(orNameTaken('domain', body.domain));
    if (row === 'full') throw quotaReached('domains');
    return { status: 201, body: toDomainView(row) };
  },
});

/** A domain name, converted to its normal spelling. */
function domainName(): StringSchema {
  return Joi.string().custom((text: string, { message }) => {
    return readDomainName(text.trim()) ?? message({ custom: '{{#label}} must be a domain name, such as example.com' });
  });
}

/** The organization's domains, newest first. */
export const listDomains = defineListEndpoint({
  path: '/org/domains',
  summary: 'List domains to send email from',
  right: 'read_senders',
  description: 'A page of domains',
  view: domainView,
  rows: listDomainsRows,
  toView: toDomainView,
});

/** A domain of the organization. */
export const getDomain = defineReadEndpoint({
  path: '/org/domains/:id',
  summary: 'Read a domain',
  right: 'read_senders',
  description: 'The domain.',
  view: domainView,
  find: findDomain,
  toView: toDomainView,
});

/** Looks up the DNS record of a domain now. A domain that was verified once stays verified until it is removed. */
export const verifyDomain = defineEndpoint({
  method: 'post',
  path: '/org/domains/:id/verify',
  summary: 'Verify a domain',
  right: 'senders',
  needs: ['db', 'lookUpTxt'],
  limits: { org: 'verify' },
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

/** Removes a domain. From now on nothing is sent from it, also not by waiting jobs. */
export const deleteDomain = defineRemovalEndpoint({
  path: '/org/domains/:id',
  summary: 'Remove a domain',
  right: 'senders',
  description: 'The domain is removed.',
  action: 'domain.removed',
  table: 'domains',
});
