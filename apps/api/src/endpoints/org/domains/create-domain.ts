import { randomBytes } from 'node:crypto';
import { addWithinQuota, createDomain as createDomainRow, isUniqueViolation, recordAudit } from '@jobline/db';
import { readDomainName } from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { quotaFull, taken } from '../../../http/http-errors.js';
import { json } from '../../../http/responses.js';
import { domainView, toDomainView } from '../../../views/sender-view.js';

interface Body {
  domain: string;
}

const TOKEN_BYTES = 16;

/** Adds a domain to send email from. It counts once its proof is found in DNS. */
export const createDomain = defineEndpoint({
  method: 'post',
  path: '/org/domains',
  summary: 'Add a domain to send email from',
  auth: 'bearer',
  right: 'senders',
  limits: { caller: 'manage' },
  body: Joi.object<Body, true>({ domain: domainName().required() }),
  responses: { 201: json('The domain, and the record to publish.', domainView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    try {
      const row = await addWithinQuota(deps.db, principal.orgId, 'domains', async (tx) => {
        const made = await createDomainRow(tx, principal.orgId, { domain: body.domain, token });
        const target = { id: made.id, name: made.domain };
        await recordAudit(tx, principal.orgId, { ...origin, action: 'domain.added', target });
        return made;
      });
      if (row === 'full') throw quotaFull('domains');
      return { status: 201, body: toDomainView(row) };
    } catch (error) {
      throw isUniqueViolation(error) ? taken('domain', body.domain, error) : error;
    }
  },
});

/** Read into its normal spelling. */
function domainName(): StringSchema {
  return Joi.string().custom((text: string, { message }) => {
    return (
      readDomainName(text.trim()) ?? message({ custom: '{{#label}} must be the name of a domain, as example.com' })
    );
  });
}
