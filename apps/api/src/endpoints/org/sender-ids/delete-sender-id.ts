import { deleteSenderId as deleteSenderIdRow } from '@jobline/db';
import { defineRemovalEndpoint } from '../../row-endpoints.js';

/** Removes a sender id. From now on nothing is sent with it, also not by waiting jobs. */
export const deleteSenderId = defineRemovalEndpoint({
  path: '/org/sender-ids/:id',
  summary: 'Remove a sender id',
  right: 'senders',
  description: 'The sender id is removed.',
  action: 'sender_id.removed',
  remove: deleteSenderIdRow,
});
