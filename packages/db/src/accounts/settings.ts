import type { OrgId } from '@jobline/contracts';
import type { OrganizationSettings } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** What an organization has chosen. */
export type SettingsRow = Omit<OrganizationSettings, 'orgId'>;

const DEFAULTS: SettingsRow = {
  alertsByEmail: false,
  alertsByWebhook: false,
  failureRatePercent: null,
  oldestWaitingSeconds: null,
};

export async function getSettings(db: DbSession, orgId: OrgId): Promise<SettingsRow> {
  return (await db.organizationSettings.findUnique({ where: { orgId } })) ?? DEFAULTS;
}

/** Changes the settings that are given. Call it in `changeTeam`, so that no two changes create the row. */
export function changeSettings(tx: DbSession, orgId: OrgId, changes: Partial<SettingsRow>): Promise<SettingsRow> {
  return tx.organizationSettings.upsert({ where: { orgId }, create: { ...changes, orgId }, update: changes });
}
