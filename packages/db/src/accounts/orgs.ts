import { isDeepStrictEqual } from 'node:util';
import type { AlertOptions, JsonObject, OrgId, UserId } from '@jobline/contracts';
import type { SecretCipher } from '@jobline/runtime';
import type { OrganizationSettings } from '../generated/client.js';
import type { Db, DbSession } from '../postgres/client.js';
import { type AuditOrigin, recordAudit } from './audit.js';
import { addWebhookSecret } from './webhook-secrets.js';

/** A new organization with its first owner. */
export interface Registration {
  org: { id: OrgId; name: string };
  user: { id: UserId; email: string; passwordHash: string };
  /** Null: no session is opened. */
  session: { id: string; expiresAt: Date } | null;
  webhookSecret: string;
  /** The origin of the request. It has no user, because the registration creates the user. */
  origin: AuditOrigin;
}

export type RegistrationOutcome = 'registered' | 'email_taken' | 'not_first';

/** Writes all of it, or nothing if the address already has an account or `onlyFirst` no longer holds. */
export async function registerOrganization(
  db: Db,
  registration: Registration,
  options: { onlyFirst: boolean; cipher: SecretCipher },
): Promise<RegistrationOutcome> {
  const { org, user, session, webhookSecret, origin } = registration;
  return db.$transaction(async (tx) => {
    if (options.onlyFirst) {
      // Without the lock two first organizations could register at the same moment.
      await tx.$executeRaw`LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE`;
      if (await hasOrganizations(tx)) return 'not_first';
    }
    // Waits for a concurrent registration of the same address, and then creates none without an error.
    const made = await tx.user.createMany({ data: [user], skipDuplicates: true });
    if (made.count === 0) return 'email_taken';
    await tx.organization.create({ data: org });
    await tx.membership.create({ data: { orgId: org.id, userId: user.id, role: 'owner' } });
    if (session) await tx.session.create({ data: { ...session, orgId: org.id, userId: user.id } });
    await addWebhookSecret(tx, org.id, { secret: webhookSecret, cipher: options.cipher });
    const fact = { action: 'organization.registered', actorId: user.id, target: org } as const;
    await recordAudit(tx, org.id, { ...origin, ...fact });
    return 'registered';
  });
}

export async function hasOrganizations(db: Pick<Db, 'organization'>): Promise<boolean> {
  return (await db.organization.findFirst({ select: { id: true } })) !== null;
}

/** What an organization has chosen. */
export type SettingsRow = Omit<
  OrganizationSettings,
  'orgId' | 'redactedUntil' | 'redactedUntilKey' | 'alertOptions'
> & {
  alertOptions: AlertOptions;
};

export const FIRST_SETTINGS: SettingsRow = {
  alertsByEmail: false,
  alertsByWebhook: false,
  failureRatePercent: null,
  oldestWaitingSeconds: null,
  alertOptions: {},
  retentionDays: null,
  redactKeys: [],
  redactAfterDays: 0,
  unknownTypes: null,
};

export async function getSettings(db: DbSession, orgId: OrgId): Promise<SettingsRow> {
  const row = await db.organizationSettings.findFirst({ where: { orgId } });
  return row ? toSettingsRow(row) : FIRST_SETTINGS;
}

/**
 * Changes the settings that are given. Call it in `changeTeam`, so that no two changes create the row. With other keys, redaction
 * examines all jobs again.
 */
export async function changeSettings(tx: DbSession, orgId: OrgId, changes: Partial<SettingsRow>): Promise<SettingsRow> {
  const { redactKeys } = changes;
  const hasOtherKeys = redactKeys && !isDeepStrictEqual(redactKeys, (await getSettings(tx, orgId)).redactKeys);
  const { alertOptions, ...columns } = changes;
  // The cast: it consists of JSON.
  const create = { ...columns, ...(alertOptions && { alertOptions: alertOptions as JsonObject }) };
  const update = { ...create, ...(hasOtherKeys && { redactedUntil: null, redactedUntilKey: null }) };
  return toSettingsRow(
    await tx.organizationSettings.upsert({ where: { orgId }, create: { ...create, orgId }, update }),
  );
}

function toSettingsRow(row: OrganizationSettings): SettingsRow {
  // The cast: only changeSettings writes it.
  return { ...row, alertOptions: row.alertOptions as AlertOptions };
}
