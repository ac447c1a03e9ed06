import { createHmac, randomBytes } from 'node:crypto';
import { makeApiKey } from '@jobline/api/api-key';
import { SCOPES } from '@jobline/contracts';
import { type Db, retryDeadlocks } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { until } from '../harness/index.js';

/** The secret of the API processes. */
export const JWT_SECRET = 'a secret of the tests, long enough for HS256';

const SESSION_MS = 3_600_000;

/** An organization of an attacker, with what it sends to be known. */
export interface AttackingOrg {
  id: string;
  /** Headers of its owner. */
  session: { authorization: string };
  /** Headers of a program with all scopes. */
  credentials: { 'x-api-key': string };
}

/** Writes an organization with an owner and an API key. Registrations by the API would use up their rate limit. */
export async function createAttacker(db: Db): Promise<AttackingOrg> {
  const [id, userId, sid] = [newId(), newId(), newId()];
  const expiresAt = new Date(Math.floor((Date.now() + SESSION_MS) / 1_000) * 1_000);
  await db.organization.create({
    data: {
      id,
      name: 'attacker',
      memberships: {
        create: { role: 'owner', user: { create: { id: userId, email: `${userId}@example.com`, passwordHash: '' } } },
      },
      webhookSecrets: { create: { secret: `whsec_${randomBytes(32).toString('base64')}` } },
    },
  });
  await db.session.create({ data: { id: sid, userId, orgId: id, expiresAt } });
  const claims = { sub: userId, org: id, role: 'owner', sid, exp: expiresAt.getTime() / 1_000 };
  return { id, session: { authorization: `Bearer ${sign(claims)}` }, credentials: (await addKeys(db, id, 1))[0] };
}

/** Writes API keys of an organization, by default for all types. Returns their headers. */
export async function addKeys(
  db: Db,
  orgId: string,
  count: number,
  typesOf?: (n: number) => string[],
): Promise<[AttackingOrg['credentials'], ...AttackingOrg['credentials'][]]> {
  const keys = Array.from({ length: count }, makeApiKey);
  const data = keys.map(({ prefix, hash }, n) => {
    const access = { scopes: [...SCOPES], ...(typesOf && { types: typesOf(n) }) };
    return { orgId, name: 'key', prefix, hash: new Uint8Array(hash), ...access };
  });
  await db.apiKey.createMany({ data });
  const [first, ...others] = keys.map(({ key }) => ({ 'x-api-key': key }));
  if (!first) throw new Error('no key was requested');
  return [first, ...others];
}

function sign(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${input}.${createHmac('sha256', JWT_SECRET).update(input).digest('base64url')}`;
}

/** Ends everything that organizations have left to do, so that the next attack begins without it. */
export async function retire(db: Db, orgs: readonly { id: string }[]): Promise<void> {
  const ids = orgs.map(({ id }) => id);
  const orgId = { in: ids };
  await db.webhook.updateMany({ where: { orgId }, data: { enabled: false, disabledAt: new Date(), isMailDue: false } });
  await db.schedule.updateMany({ where: { orgId }, data: { enabled: false, nextRunAt: null, cancelBefore: null } });
  await db.bulkAction.updateMany({
    where: { orgId, status: 'running' },
    data: { status: 'stopped', nextAt: null, finishedAt: new Date() },
  });
  await db.limit.deleteMany({ where: { orgId } });
  // Before their jobs: each deleted job would wake all lanes of its key.
  await db.limitLane.deleteMany({ where: { orgId } });
  await until('the jobs of the attackers to end', async () => {
    await db.webhookEvent.updateMany({ where: { orgId, isPlanned: false }, data: { isPlanned: true } });
    const ended = { status: 'failed', attemptsLeft: 0, nextAttemptAt: null, isRepeatDue: false } as const;
    await db.webhookDelivery.updateMany({ where: { orgId, status: 'pending' }, data: ended });
    // The workers claim and end the same jobs, in another order.
    const [found] = await retryDeadlocks(
      () => db.$queryRaw<{ running: number }[]>`
        WITH o AS MATERIALIZED (
            SELECT id FROM organizations WHERE id = ANY (${ids}::uuid[]) OR delivers_for = ANY (${ids}::uuid[])),
          pending AS (
            DELETE FROM live_jobs l USING o WHERE l.org_id = o.id AND l.status = 'pending' RETURNING l.key),
          submitted AS (DELETE FROM submitted_jobs s USING pending WHERE s.key = pending.key)
        SELECT count(*)::int AS running FROM live_jobs l JOIN o ON l.org_id = o.id WHERE l.status = 'processing'`,
    );
    return found?.running === 0;
  });
}
