import { changeSettings as changeSettingsRow, changeTeam, recordAudit } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { settingsView, toSettingsView } from '../../views/settings-view.js';
import { settingsBody } from './settings-body.js';

/** Changes the settings of the organization. */
export const changeSettings = defineEndpoint({
  method: 'patch',
  path: '/org/settings',
  summary: 'Change the settings',
  auth: 'bearer',
  right: 'settings',
  needs: ['db'],
  limits: { caller: 'manage' },
  body: settingsBody,
  responses: { 200: json('The settings.', settingsView) },
  async handle({ deps, principal: { orgId }, origin, body }) {
    const row = await changeTeam(deps.db, orgId, async (tx) => {
      const changed = await changeSettingsRow(tx, orgId, body);
      await recordAudit(tx, orgId, { ...origin, action: 'settings.changed' });
      return changed;
    });
    return { status: 200, body: toSettingsView(row) };
  },
});
