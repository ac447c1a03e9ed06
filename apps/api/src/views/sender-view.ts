import { type CheckedDomainView, DOMAIN_STATUSES, type DomainView, type SenderIdView } from '@jobline/contracts';
import type { DomainRow, SenderIdRow } from '@jobline/db';
import { proofRecord } from '@jobline/messaging';
import Joi from 'joi';
import { uuid } from '../endpoints/fields.js';
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

export const senderIdView = view<SenderIdView>('SenderId', {
  id: uuid(),
  sender_id: Joi.string(),
  created_at: timestamp(),
});

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

export function toSenderIdView(row: SenderIdRow): SenderIdView {
  return { id: row.id, sender_id: row.senderId, created_at: row.createdAt.toISOString() };
}
