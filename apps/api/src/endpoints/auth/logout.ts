import { deleteSession, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { empty } from '../../http/response-specs.js';

/** Ends this session. Its token is no longer accepted. */
export const logout = defineEndpoint({
  method: 'post',
  path: '/auth/logout',
  summary: 'Log out',
  auth: 'bearer',
  right: 'account',
  needs: ['credentials', 'db'],
  responses: { 204: empty('The session has ended.') },
  async handle({ deps, principal, origin }) {
    await deps.db.$transaction(async (tx) => {
      const wasOpen = await deleteSession(tx, principal.sessionId);
      if (wasOpen) await recordAudit(tx, principal.orgId, { ...origin, action: 'logout' });
    });
    deps.credentials.forgetSession(principal.sessionId);
    return { status: 204 };
  },
});
