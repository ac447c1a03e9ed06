import { LIMIT_NAME_PATTERN } from '@jobline/contracts';
import { listLimits, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../../endpoint.js';
import { invalidRequest, quotaReached } from '../../../http/errors.js';
import { json } from '../../../http/response-specs.js';
import { limitView, toLimitView } from '../../../views/limit-view.js';
import { limitBody, newSettings } from './limit-body.js';

/** Creates a limit, or replaces it. It applies within two seconds, to waiting jobs too. */
export const putLimit = defineEndpoint({
  method: 'put',
  path: '/org/limits/:name',
  summary: 'Set a limit',
  auth: 'bearer',
  right: 'limits',
  needs: ['db', 'setLimits'],
  limits: { caller: 'manage' },
  // A name that cannot exist is an issue of this request.
  params: { name: /^.*$/su },
  body: limitBody,
  responses: { 200: json('The limit.', limitView) },
  errors: ['conflict'],
  async handle({ deps, principal: { orgId }, origin, params: { name }, body }) {
    if (!LIMIT_NAME_PATTERN.test(name)) {
      throw invalidRequest([{ path: 'name', message: '"name" must be 1 to 64 characters of A-Z a-z 0-9 . _ : -' }]);
    }
    const settings = newSettings(body);
    const outcome = await deps.setLimits.set(
      orgId,
      name,
      () => settings,
      (tx) => recordAudit(tx, orgId, { ...origin, action: 'limit.set', target: { id: orgId, name } }),
    );
    if (outcome === 'full') throw quotaReached('limits');
    const [limit] = await listLimits(deps.db, orgId, name);
    // It was stored, although another request has deleted it since.
    return { status: 200, body: toLimitView(limit ?? { name, ...settings, running: 0, waiting: 0 }) };
  },
});
