import type { AlertKind, OrgId, UserId } from '@jobline/contracts';
import { recipientsOf } from '../accounts/notices.js';
import { Prisma } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** Who would get an alert of an organization. */
export interface AlertReceivers {
  orgName: string;
  /** Owners and admins, those with a verified address first. */
  recipients: UserId[];
  /** How many of them have a verified address. */
  verified: number;
  /** How many enabled webhooks have chosen the event. */
  webhooks: number;
}

export async function readAlertReceivers(db: DbSession, orgId: OrgId): Promise<AlertReceivers> {
  const [row] = await db.$queryRaw<[AlertReceivers]>`
    SELECT o.name AS "orgName", r.ids AS recipients,
      (SELECT count(*)::int FROM users WHERE id = ANY (r.ids::uuid[]) AND proved_at IS NOT NULL) AS verified,
      (SELECT count(*)::int FROM webhooks w
       WHERE w.org_id = o.id AND w.enabled AND w.events && ARRAY['alert.raised', 'alert.*', '*']) AS webhooks
    FROM organizations o, LATERAL (SELECT ${recipientsOf(Prisma.sql`o.id`, ['owner', 'admin'])} AS ids) AS r
    WHERE o.id = ${orgId}::uuid`;
  return row;
}

/** The alert that a test shows as raised. */
export interface TestAlert {
  id: string;
  kind: AlertKind;
  threshold: number;
}

/** Writes the event of a test alert. The alert itself is not stored, so it is not listed and has no end. */
export async function writeTestAlert(tx: DbSession, orgId: OrgId, { id, kind, threshold }: TestAlert): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO webhook_events (org_id, type, data, created_at)
    SELECT ${orgId}::uuid, 'alert.raised', json_build_object('id', ${id}::uuid, 'kind', ${kind}::text,
      'threshold', ${threshold}::int, 'value', ${threshold}::int, 'since', api_time(t.now), 'test', true), t.now
    FROM date_trunc('milliseconds', clock_timestamp()) AS t(now) WHERE has_webhook_for(${orgId}::uuid, 'alert.raised')`;
}
