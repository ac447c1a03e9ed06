import { randomBytes } from 'node:crypto';
import type { Db } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { addKeys } from './attackers.js';
import { addFailed, addLogLines, addMessages, addPending } from './seed-rows.js';

/** What a seed works with. */
export interface SeedContext {
  db: Db;
  org: { id: string };
  /** The address of the attacker's receivers. */
  receiver: string;
}

/** The states that an organization of an attacker can have before its attack begins. The attack gets what they return. */
export const SEEDS = {
  /** A hundred limits of fifty types each, whose names differ only at their end. */
  async manyLimits({ db, org: { id: orgId } }) {
    const typeOf = (n: number) => `${n}`.padStart(128, 'x');
    const limit = { orgId, concurrency: 5, per: 'organization', ordered: false, paused: false } as const;
    const data = Array.from({ length: 100 }, (_, n) => ({
      ...limit,
      name: `l${n}`,
      types: Array.from({ length: 50 }, (_, k) => typeOf(n * 50 + k)),
    }));
    await db.limit.createMany({ data });
    return {};
  },

  /** Emails of jobs with long payloads, and fifty names to redact. */
  async redactedMessages({ db, org: { id: orgId } }) {
    await addFailed(db, orgId, 1_200, {
      type: `'send_email'`,
      payload: `json_build_object('body', repeat('x', 15000))`,
    });
    await addMessages(db, orgId);
    await db.organizationSettings.create({ data: { orgId, redactKeys: namesToRedact('a') } });
    return { redactedNames: [namesToRedact('a'), namesToRedact('b')] };
  },

  /** Twenty thousand jobs of one key that are of different types and wait for an ordered limit. */
  async lanesOfAKey({ db, org: { id: orgId } }) {
    await db.limit.create({
      data: { orgId, name: 'o', types: [], concurrency: 1, per: 'key', ordered: true, paused: true },
    });
    await addPending(db, orgId, 20_000, {
      type: `'u.' || g`,
      run_at: 'now()',
      place: `'held'`,
      limit_key: `'k'`,
      limit_name: `'o'`,
    });
    const { id } = await db.liveJob.findFirstOrThrow({ where: { orgId } });
    return { waitingId: id };
  },

  /** Forty thousand keys that wait for a limit. */
  async waitingKeys({ db, org: { id: orgId } }) {
    await db.limit.create({
      data: { orgId, name: 'p', types: [], concurrency: 1, per: 'key', ordered: false, paused: true },
    });
    await addPending(db, orgId, 40_000, { run_at: 'now()', place: `'held'`, limit_key: `'k' || g`, limit_name: `'p'` });
    return {};
  },

  /** Thirty thousand jobs with the same five tags and the same key. */
  async labels({ db, org }) {
    await addPending(db, org.id, 30_000, { tags: `'{a,b,c,d,e}'::text[]`, limit_key: `'k'` });
    return {};
  },

  /** Two hundred thousand jobs for tomorrow. */
  async backlog({ db, org }) {
    for (let n = 0; n < 4; n++) await addPending(db, org.id, 50_000);
    return {};
  },

  /** A hundred thousand jobs that expire when the attack has begun. */
  async expiring({ db, org }) {
    for (let n = 0; n < 2; n++) await addPending(db, org.id, 50_000, { expires_at: `now() + interval '5 s'` });
    return {};
  },

  /** Sixty thousand jobs that are due at the same moment. */
  async dueAtOnce({ db, org }) {
    await addPending(db, org.id, 60_000, { run_at: `now() + interval '5 s'` });
    return {};
  },

  /** Twenty-six thousand text messages, of which six thousand may be sent in a minute. */
  async textMessages({ db, org }) {
    const payload = `'{"to":"+254700000001","message":"a"}'::json`;
    await addPending(db, org.id, 26_000, { type: `'send_sms'`, payload, run_at: 'now()', place: `'waiting'` });
    return {};
  },

  /** Twenty thousand jobs that fail a hundred times. */
  async failing({ db, org }) {
    const columns = { type: `'noisy.fail'`, max_retries: '100', run_at: 'now()', place: `'waiting'` };
    await addPending(db, org.id, 20_000, columns);
    return {};
  },

  /** Failed jobs with different messages, of sixty types, each of which a key can see. */
  async failures({ db, org }) {
    const [type, message] = [`'f.' || g % 60`, `'the receiver ' || md5(g::text) || ' said no'`];
    await addFailed(db, org.id, 37_000, { type, message });
    const keys = await addKeys(db, org.id, 60, (n) => [`f.${n}`]);
    return { keys };
  },

  /** Failed jobs with the longest logs. */
  async longLogs({ db, org }) {
    await addFailed(db, org.id, 4);
    await addLogLines(db, org.id, 1_000, 8_000);
    const jobs = await db.finishedJob.findMany({ where: { orgId: org.id } });
    return { jobIds: jobs.map(({ id }) => id) };
  },

  /** Two thousand failed jobs that fail again, and twenty webhooks that get every event. */
  async failedWithWebhooks(context) {
    await addFailed(context.db, context.org.id, 2_000, { type: `'noisy.fail'` });
    return webhooks(20, 'fast')(context);
  },

  /** Forty schedules, and as many keys that may change them. */
  async schedules({ db, org: { id: orgId } }) {
    return { schedules: await addSchedules(db, orgId, 40, 86_400_000), keys: await addKeys(db, orgId, 40) };
  },

  /** A thousand schedules that are due at the same moment, and each five seconds later again. */
  async schedulesAtOnce({ db, org }) {
    return { schedules: await addSchedules(db, org.id, 1_000, 5_000) };
  },

  /** As many as an organization may have in addition to the one of the victim. */
  nineteenHungWebhooks: webhooks(19, 'hang'),
  drippingWebhooks: webhooks(10, 'drip'),
  hungWebhooks: webhooks(20, 'hang'),
  goneWebhooks: webhooks(20, 'gone'),
} satisfies Record<string, (context: SeedContext) => Promise<object>>;

export type Seed = keyof typeof SEEDS;

/** Writes webhooks for every event, whose receivers answer in this way. */
function webhooks(count: number, answer: string) {
  return async ({ db, org: { id: orgId }, receiver }: SeedContext) => {
    const ids = Array.from({ length: count }, newId);
    const webhook = { orgId, events: ['*'], enabled: true, createdAt: new Date() };
    await db.webhook.createMany({
      data: ids.map((id, n) => ({ ...webhook, id, url: `${receiver}/${answer}/${n}` })),
    });
    const secretOf = () => `whsec_${randomBytes(32).toString('base64')}`;
    await db.webhookSecret.createMany({ data: ids.map((webhookId) => ({ orgId, webhookId, secret: secretOf() })) });
    return { webhooks: ids };
  };
}

/** Writes schedules whose first time is in `firstMs`. Returns their ids. */
async function addSchedules(db: Db, orgId: string, count: number, firstMs: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  const nextRunAt = new Date(Date.now() + firstMs);
  const plan = {
    ...{ orgId, type: 'noisy.noop', payload: {}, payloadBytes: 2, maxRetries: 0, priority: 0, tags: [] },
    ...{ everySeconds: firstMs / 1_000, timezone: 'UTC', anchorAt: nextRunAt, nextRunAt, createdAt: new Date() },
    ...({ overlap: 'allow', missed: 'run_once', enabled: true } as const),
  };
  await db.schedule.createMany({ data: ids.map((id) => ({ ...plan, id, name: id })) });
  return ids;
}

function namesToRedact(start: string): string[] {
  return Array.from({ length: 50 }, (_, n) => `${start}${n}`);
}
