import { findUser, listMembershipsOf } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { unauthenticated } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { meView, toOrgMembershipView, toUserView } from '../../views/account-view.js';

/** The signed-in user, the organization of the session, and all organizations of the user. */
export const me = defineEndpoint({
  method: 'get',
  path: '/auth/me',
  summary: 'Read the signed-in user',
  auth: 'bearer',
  right: 'account',
  needs: ['db'],
  responses: {
    200: json(
      "The user, the organization of this session, and all the user's organizations; the one joined last comes first.",
      meView,
    ),
  },
  async handle({ deps, principal }) {
    const { userId } = principal;
    const [user, memberships] = await Promise.all([findUser(deps.db, userId), listMembershipsOf(deps.db, userId)]);
    const here = memberships.find(({ orgId }) => orgId === principal.orgId);
    // The user was removed after the session had been looked up.
    if (!user || !here) throw unauthenticated();
    const org = { id: here.orgId, name: here.orgName };
    return {
      status: 200,
      body: { user: toUserView(user, here.role), org, orgs: memberships.map(toOrgMembershipView) },
    };
  },
});
