import { deleteSuppression as deleteSuppressionRow } from '@jobline/db';
import { defineRemovalEndpoint } from '../../row-endpoints.js';

/** Removes a suppression. The address gets messages again until it bounces or complains again. */
export const deleteSuppression = defineRemovalEndpoint({
  path: '/org/suppressions/:id',
  summary: 'Remove a suppression',
  right: 'suppressions',
  description: 'The address gets messages again.',
  action: 'suppression.lifted',
  remove: deleteSuppressionRow,
});
