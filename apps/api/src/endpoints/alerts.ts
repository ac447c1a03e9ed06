import { ALERT_KINDS, ALERT_LIMITS, type AlertView } from '@jobline/contracts';
import { type AlertRow, listAlerts as listAlertRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { timestamp, view } from '../http/view.js';

const alertView = view<AlertView>('Alert', {
  id: uuid(),
  kind: Joi.valid(...ALERT_KINDS),
  threshold: Joi.number().description('A percentage, or seconds.'),
  value: Joi.number().description('What was measured when it was raised.'),
  since: timestamp(),
  resolved_at: timestamp().allow(null).description('Null: the threshold is still exceeded.'),
});

function toAlertView({ raisedAt, resolvedAt, id, kind, threshold, value }: AlertRow): AlertView {
  return { id, kind, threshold, value, since: raisedAt.toISOString(), resolved_at: resolvedAt?.toISOString() ?? null };
}

/** The alerts of the organization, also those about which nothing was sent. */
export const listAlerts = defineEndpoint({
  method: 'get',
  path: '/org/alerts',
  summary: 'List alerts',
  right: 'settings',
  needs: ['db'],
  responses: {
    200: json(
      `At most ${ALERT_LIMITS.listed} alerts of the last 30 days, the open ones first, then the newest.`,
      Joi.array().items(alertView),
    ),
  },
  async handle({ deps, principal }) {
    return { status: 200, body: (await listAlertRows(deps.db, principal.orgId)).map(toAlertView) };
  },
});
