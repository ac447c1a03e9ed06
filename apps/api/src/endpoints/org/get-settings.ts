import { getSettings as getSettingsRow } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { settingsView, toSettingsView } from '../../views/settings-view.js';

/** The settings of the organization. */
export const getSettings = defineEndpoint({
  method: 'get',
  path: '/org/settings',
  summary: 'Read the settings',
  auth: 'bearer',
  right: 'read_settings',
  needs: ['db'],
  responses: { 200: json('The settings.', settingsView) },
  async handle({ deps, principal }) {
    return { status: 200, body: toSettingsView(await getSettingsRow(deps.db, principal.orgId)) };
  },
});
