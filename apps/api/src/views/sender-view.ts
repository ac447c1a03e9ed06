import { DOMAIN_STATUSES, type DomainStatus, SENDER_ID_STATUSES } from '@jobline/contracts';
import type { DomainRow, OperatorSenderIdRow, SenderIdRow } from '@jobline/db';
import { proofRecord } from '@jobline/messaging';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import type { SenderIdMode } from '../settings.js';
import { timestamp, view } from './view.js';

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

export const domainView = view<DomainView>('Domain', domain);

export const checkedDomainView = view<DomainView & { reason: string | null }>('CheckedDomain', {
  ...domain,
  reason: Joi.string().allow(null).description('Why the domain is still pending; null: it is verified.'),
});

export const senderIdView = view<ReturnType<typeof toSenderIdView>>(
  'SenderId',
  {
    id: uuid(),
    sender_id: Joi.string(),
    status: Joi.valid(...SENDER_ID_STATUSES).description(
      '`pending`: the operator must approve it first. Absent for a usable sender id if no approval is required.',
    ),
    created_at: timestamp(),
  },
  { optional: ['status'] },
);

export function toDomainView(row: DomainRow) {
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

/** If no approval is required, only a sender id that cannot be used has a status. */
export function toSenderIdView(row: SenderIdRow, approval: SenderIdMode) {
  const { id, senderId, status, createdAt } = row;
  const isShown = approval === 'approved' || status === 'pending';
  return { id, sender_id: senderId, ...(isShown && { status }), created_at: createdAt.toISOString() };
}

export function toOperatorSenderIdView(row: OperatorSenderIdRow) {
  const { id, senderId, status, createdAt, orgId, orgName } = row;
  return { id, sender_id: senderId, status, created_at: createdAt.toISOString(), org: { id: orgId, name: orgName } };
}
