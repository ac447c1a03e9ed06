import type { AlertSettings } from '@jobline/contracts';
import { changeSettings as changeSettingsRow, changeTeam, recordAudit, type SettingsRow } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/responses.js';
import { alertFields, settingsView, toSettingsView } from '../../views/settings-view.js';

/** A field that is left out stays. */
interface Changes {
  alerts?: Partial<AlertSettings>;
}

/** Changes the settings of the organization. */
export const changeSettings = defineEndpoint({
  method: 'patch',
  path: '/org/settings',
  summary: 'Change the settings',
  auth: 'bearer',
  right: 'settings',
  needs: ['db'],
  limits: { caller: 'manage' },
  body: Joi.object<Changes>({ alerts: Joi.object<AlertSettings>(alertFields).min(1) }).min(1),
  responses: { 200: json('The settings.', settingsView) },
  async handle({ deps, principal: { orgId }, origin, body }) {
    const row = await changeTeam(deps.db, orgId, async (tx) => {
      const changed = await changeSettingsRow(tx, orgId, toChanges(body));
      await recordAudit(tx, orgId, { ...origin, action: 'settings.changed' });
      return changed;
    });
    return { status: 200, body: toSettingsView(row) };
  },
});

function toChanges({ alerts = {} }: Changes): Partial<SettingsRow> {
  const { email, webhook, failure_rate_percent, oldest_waiting_seconds } = alerts;
  return {
    ...(email !== undefined && { alertsByEmail: email }),
    ...(webhook !== undefined && { alertsByWebhook: webhook }),
    ...(failure_rate_percent !== undefined && { failureRatePercent: failure_rate_percent }),
    ...(oldest_waiting_seconds !== undefined && { oldestWaitingSeconds: oldest_waiting_seconds }),
  };
}
