import { listMembers as listMembersRows } from '@jobline/db';
import { memberView, toMemberView } from '../../../views/team-view.js';
import { defineListEndpoint } from '../../row-endpoints.js';

/** The members of the organization; the one who joined last comes first. */
export const listMembers = defineListEndpoint({
  path: '/org/members',
  summary: 'List members',
  right: 'read_members',
  description: 'A page of members',
  view: memberView,
  rows: listMembersRows,
  toView: toMemberView,
});
