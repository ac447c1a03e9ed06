import { listInvites as listInvitesRows } from '@jobline/db';
import { inviteView, toInviteView } from '../../../views/team-view.js';
import { defineListEndpoint } from '../../row-endpoints.js';

/** The invites that can still be accepted, newest first. Their links are not stored, so they are not shown. */
export const listInvites = defineListEndpoint({
  path: '/org/invites',
  summary: 'List pending invites',
  right: 'invites',
  description: 'A page of pending invites',
  view: inviteView,
  rows: listInvitesRows,
  toView: toInviteView,
});
