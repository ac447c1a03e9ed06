import { randomBytes } from 'node:crypto';
import { addWithinQuota, createDomain as createDomainRow, recordAudit } from '@jobline/db';
import { readDomainName } from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { orNameTaken, quotaReached } from '../../../http/errors.js';
import { fieldsOf } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { domainView, toDomainView } from '../../../views/sender-view.js';

const TOKEN_BYTES = 16;

/** Adds a domain to send email from. It can be used once its ownership is verified by DNS. */
export const createDomain = defineEndpoint({
  method: 'post',
  path: '/org/domains',
  summary: 'Add a domain to send email from',
  auth: 'bearer',
  right: 'senders',
  needs: ['db'],
  limits: { caller: 'manage' },
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
