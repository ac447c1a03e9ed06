import { findUser, listMembershipsOf } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { unauthenticated } from '../../http/refusals.js';
import { toOrgMembershipView, toUserView } from '../../views/account-view.js';

/** Who is signed in, where, and where else they could be. */
export const me = defineEndpoint({
  method: 'get',
  path: '/auth/me',
  summary: 'Read the signed-in user',
  auth: 'bearer',
  right: 'account',
  responses: { 200: 'The user, the organization of this session, and all of theirs, the one joined last first.' },
  async handle({ deps, principal }) {
    const { userId } = principal;
    const [user, memberships] = await Promise.all([findUser(deps.db, userId), listMembershipsOf(deps.db, userId)]);
    const here = memberships.find(({ orgId }) => orgId === principal.orgId);
    // Removed since the session was looked up.
    if (!user || !here) throw unauthenticated();
    const org = { id: here.orgId, name: here.orgName };
    return {
      status: 200,
      body: { user: toUserView(user, here.role), org, orgs: memberships.map(toOrgMembershipView) },
    };
  },
});
