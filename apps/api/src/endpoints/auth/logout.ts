import { deleteSession } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';

/** Ends this session; its token is worth nothing from now on. */
export const logout = defineEndpoint({
  method: 'post',
  path: '/auth/logout',
  summary: 'Log out',
  auth: 'bearer',
  right: 'account',
  responses: { 204: 'The session has ended.' },
  async handle({ deps, principal }) {
    await deleteSession(deps.db, principal.sessionId);
    deps.credentials.forgetSession(principal.sessionId);
    return { status: 204 };
  },
});
