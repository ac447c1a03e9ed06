import { LIMIT_NAME_PATTERN } from '@jobline/contracts';
import { listLimits, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { notFound } from '../../../http/errors.js';
import { json } from '../../../http/response-specs.js';
import { limitView, toLimitView } from '../../../views/limit-view.js';
import { changedSettings, limitBody } from './limit-body.js';

/** Changes the members that the body has. They apply within two seconds, to waiting jobs too. */
export const patchLimit = defineEndpoint({
  method: 'patch',
  path: '/org/limits/:name',
  summary: 'Change, pause or resume a limit',
  auth: 'bearer',
  right: 'limits',
  needs: ['db', 'setLimits'],
  limits: { caller: 'manage' },
  params: { name: LIMIT_NAME_PATTERN },
  body: limitBody.min(1),
  responses: { 200: json('The limit.', limitView) },
  async handle({ deps, principal: { orgId }, origin, params: { name }, body }) {
    const outcome = await deps.setLimits.set(
      orgId,
      name,
      (current) => current && changedSettings(current, body),
      (tx) => recordAudit(tx, orgId, { ...origin, action: 'limit.set', target: { id: orgId, name } }),
    );
    const [limit] = outcome === 'set' ? await listLimits(deps.db, orgId, name) : [];
    if (!limit) throw notFound();
    return { status: 200, body: toLimitView(limit) };
  },
});
