import { findDomain } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { UUID_PATTERN } from '../../../http/fields.js';
import { notFound } from '../../../http/http-errors.js';
import { json } from '../../../http/responses.js';
import { domainView, toDomainView } from '../../../views/sender-view.js';

/** A domain of the organization. */
export const getDomain = defineEndpoint({
  method: 'get',
  path: '/org/domains/:id',
  summary: 'Read a domain',
  auth: 'bearer',
  right: 'read_senders',
  needs: ['db'],
  params: { id: UUID_PATTERN },
  responses: { 200: json('The domain.', domainView) },
  async handle({ deps, principal, params }) {
    const row = await findDomain(deps.db, principal.orgId, params.id);
    if (!row) throw notFound();
    return { status: 200, body: toDomainView(row) };
  },
});
