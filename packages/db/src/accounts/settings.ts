import { isDeepStrictEqual } from 'node:util';
import type { OrgId } from '@jobline/contracts';
import type { OrganizationSettings } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** What an organization has chosen. */
export type SettingsRow = Omit<OrganizationSettings, 'orgId' | 'redactedUntil' | 'redactedUntilKey'>;

export const FIRST_SETTINGS: SettingsRow = {
  alertsByEmail: false,
  alertsByWebhook: false,
  failureRatePercent: null,
  oldestWaitingSeconds: null,
  retentionDays: null,
  redactKeys: [],
  redactAfterDays: 0,
};

export async function getSettings(db: DbSession, orgId: OrgId): Promise<SettingsRow> {
  return (await db.organizationSettings.findUnique({ where: { orgId } })) ?? FIRST_SETTINGS;
}

/**
 * Changes the settings that are given. Call it in `changeTeam`, so that no two changes create the row. With other keys, redaction
 * examines all jobs again.
 */
export async function changeSettings(tx: DbSession, orgId: OrgId, changes: Partial<SettingsRow>): Promise<SettingsRow> {
  const { redactKeys } = changes;
  const hasOtherKeys = redactKeys && !isDeepStrictEqual(redactKeys, (await getSettings(tx, orgId)).redactKeys);
  const update = { ...changes, ...(hasOtherKeys && { redactedUntil: null, redactedUntilKey: null }) };
  return tx.organizationSettings.upsert({ where: { orgId }, create: { ...changes, orgId }, update });
}
