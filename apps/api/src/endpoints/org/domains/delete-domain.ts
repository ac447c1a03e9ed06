import { deleteDomain as deleteDomainRow } from '@jobline/db';
import { defineRemovalEndpoint } from '../../row-endpoints.js';

/** Removes a domain. From now on nothing is sent from it, also not by waiting jobs. */
export const deleteDomain = defineRemovalEndpoint({
  path: '/org/domains/:id',
  summary: 'Remove a domain',
  right: 'senders',
  description: 'The domain is removed.',
  action: 'domain.removed',
  remove: deleteDomainRow,
});
