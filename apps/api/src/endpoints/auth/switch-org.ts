import type { OrgId } from '@jobline/contracts';
import { findUser, openSessionFrom, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { fieldsOf, uuid } from '../../http/fields.js';
import { json } from '../../http/response-specs.js';
import { sessionView, toUserView } from '../../views/account-view.js';

/** Signs the user in to another of their organizations too. The new session ends when the current one does. */
export const switchOrg = defineEndpoint({
  method: 'post',
  path: '/auth/switch',
  summary: 'Switch to another organization',
  auth: 'bearer',
  right: 'account',
  needs: ['db', 'tokens'],
  limits: { caller: 'manage' },
  body: fieldsOf({ org_id: uuid() }),
  responses: { 200: json('A session token for that organization.', sessionView) },
  errors: ['not_found'],
  async handle({ deps, principal, origin, body }) {
    const user = await findUser(deps.db, principal.userId);
    const orgId = body.org_id as OrgId; // openSessionFrom checks the membership
    const session = deps.tokens.newSession();
    const from = { userId: principal.userId, fromSessionId: principal.sessionId };
    const opened = await deps.db.$transaction(async (tx) => {
      const done = await openSessionFrom(tx, orgId, { ...session, ...from });
      if (done) await recordAudit(tx, orgId, { ...origin, action: 'session.switched' });
      return done;
    });
    if (!user || !opened) throw notFound();
    const { role, expiresAt } = opened;
    const token = deps.tokens.issue({ ...session, expiresAt }, { userId: user.id, orgId, role });
    return { status: 200, body: { token, user: toUserView(user, role) } };
  },
});
