import { deleteSession } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { empty } from '../../http/replies.js';

/** Ends this session; its token is worth nothing from now on. */
export const logout = defineEndpoint({
  method: 'post',
  path: '/auth/logout',
  summary: 'Log out',
  auth: 'bearer',
  right: 'account',
  responses: { 204: empty('The session has ended.') },
  async handle({ deps, principal }) {
    await deleteSession(deps.db, principal.sessionId);
    deps.credentials.forgetSession(principal.sessionId);
    return { status: 204 };
  },
});
