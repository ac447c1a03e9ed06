import { listSenderIds as listSenderIdsRows } from '@jobline/db';
import { senderIdView, toSenderIdView } from '../../../views/sender-view.js';
import { defineListEndpoint } from '../../row-endpoints.js';

/** The organization's sender ids, newest first. */
export const listSenderIds = defineListEndpoint({
  path: '/org/sender-ids',
  summary: 'List sender ids for SMS',
  right: 'read_senders',
  description: 'A page of sender ids',
  view: senderIdView,
  rows: listSenderIdsRows,
  toView: (row, settings) => toSenderIdView(row, settings.senderIds),
});
