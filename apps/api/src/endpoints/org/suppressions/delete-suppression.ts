import { deleteSuppression as deleteSuppressionRow } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/refusals.js';
import { empty } from '../../../http/replies.js';
import { UUID_PATTERN } from '../../fields.js';

/** Lets an address be written to again, until it bounces or complains anew. */
export const deleteSuppression = defineEndpoint({
  method: 'delete',
  path: '/org/suppressions/:id',
  summary: 'Lift a suppression',
  auth: 'bearer',
  right: 'suppressions',
  params: { id: UUID_PATTERN },
  responses: { 204: empty('The address may be written to again.') },
  async handle({ deps, principal, params }) {
    if (!(await deleteSuppressionRow(deps.db, principal.orgId, params.id))) throw notFound();
    return { status: 204 };
  },
});
