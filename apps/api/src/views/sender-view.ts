import {
  type CheckedDomainView,
  DOMAIN_STATUSES,
  type DomainView,
  type OperatorSenderIdView,
  SENDER_ID_STATUSES,
  type SenderIdView,
} from '@jobline/contracts';
import type { DomainRow, OperatorSenderIdRow, SenderIdRow } from '@jobline/db';
import { proofRecord } from '@jobline/messaging';
import Joi from 'joi';
import type { AppSettings } from '../deps.js';
import { uuid } from '../http/fields.js';
import { timestamp, view } from './view.js';

const domain = {
  id: uuid(),
  domain: Joi.string().description('In lower case and punycode.'),
  status: Joi.valid(...DOMAIN_STATUSES),
  record: Joi.object<DomainView['record']>({
    type: Joi.valid('TXT').required(),
    name: Joi.string().required(),
    value: Joi.string().required(),
  }).description('What to publish in DNS, so that the domain can be verified.'),
  verified_at: timestamp().allow(null),
  created_at: timestamp(),
};

export const domainView = view<DomainView>('Domain', domain);

export const checkedDomainView = view<CheckedDomainView>('CheckedDomain', {
  ...domain,
  reason: Joi.string().allow(null).description('Why it is still pending; null: it is verified.'),
});

export const senderIdView = view<SenderIdView>(
  'SenderId',
  {
    id: uuid(),
    sender_id: Joi.string(),
    status: Joi.valid(...SENDER_ID_STATUSES).description(
      '`pending`: it cannot be used until the operator approves it. Absent from what can be used, unless the operator approves each.',
    ),
    created_at: timestamp(),
  },
  { optional: ['status'] },
);

export function toDomainView(row: DomainRow): DomainView {
  return {
    id: row.id,
    domain: row.domain,
    status: row.verifiedAt ? 'verified' : 'pending',
    record: proofRecord(row.domain, row.token),
    verified_at: row.verifiedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

/** Where no approval is needed, only what cannot be used says so. */
export function toSenderIdView(row: SenderIdRow, approval: AppSettings['senderIds']): SenderIdView {
  const { id, senderId, status, createdAt } = row;
  const isShown = approval === 'approved' || status === 'pending';
  return { id, sender_id: senderId, ...(isShown && { status }), created_at: createdAt.toISOString() };
}

export function toOperatorSenderIdView(row: OperatorSenderIdRow): OperatorSenderIdView {
  const { id, senderId, status, createdAt, orgId, orgName } = row;
  return { id, sender_id: senderId, status, created_at: createdAt.toISOString(), org: { id: orgId, name: orgName } };
}
