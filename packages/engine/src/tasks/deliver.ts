import { DELIVERY_PAUSES_S, EVENT_LIMITS, type OrgId, receiverOf } from '@jobline/contracts';
import {
  type Db,
  type DbSession,
  ensureDeliveryOrgs,
  type HotDb,
  insertDeliveries,
  isLockTimeout,
  isUnavailable,
  limitStatements,
  listSubscribers,
  listUnplannedOrgs,
  lockUnplannedEvents,
  markPlanned,
  type NewDelivery,
  retryDeadlocks,
  type Subscriber,
  takeRepeats,
  type UnplannedEvent,
} from '@jobline/db';
import { insertJobsIn } from '@jobline/db/job-transitions';
import { DELIVERY_TYPE, type DeliveryPayload, EVENTS_QUEUE } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import type { Subscription } from '../queue/pubsub.js';
import { subscribeJobEvents } from '../reporting/event-streams.js';
import { type EnqueueDeps, type JobDraft, storeAndEnqueue } from '../submit/enqueue.js';
import { newJobKey } from '../submit/submission.js';
import type { Task } from './task.js';

export interface DeliverDeps extends EnqueueDeps {
  db: Db;
  hot: HotDb;
  redisUrl: string;
  prefix: string;
}

/** About how many deliveries one round makes, and the organizations that share them. */
const ROUND = 200;
const ORGS = 20;
/** The pause after a round that was not full, however many jobs change: so events are handled together. */
const SOON_MS = 50;
const IDLE_MS = 500;
const FAILED_MS = 2_000;
/** Time limits of a transaction: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };
const STATEMENT_LIMITS_MS = { lock: 1_000, statement: 10_000 };
/** Of the deliveries to one receiver, those of other events than the ends of jobs start first. */
const PRIORITY = { ofJobs: 0, ofOthers: 1 };
/** A job that could not read or store its delivery is tried again. */
const MAX_RETRIES = 100;

/**
 * Makes a job for each delivery of an event. Triggers of the database write events in the transactions that they report; one
 * transaction here stores their deliveries with their jobs. The jobs belong to an organization of their own for each receiver of
 * events, with a limit for each webhook and callback host.
 *
 * Most events are about jobs, whose changes are published for the event streams. So a look follows at once. Without Redis, and for
 * other events, it follows within half a second.
 */
export function createDeliver(deps: DeliverDeps): Task {
  /** The last organization of the previous round: organizations take turns. */
  let after: OrgId | null = null;
  let subscription: Subscription | null = null;
  let notBefore = Number.NEGATIVE_INFINITY;
  let wake = (): void => undefined;

  /** Only the process that delivers listens: there are many messages. */
  function listen(): void {
    subscription ??= subscribeJobEvents(deps, () => wake());
  }

  function stopListening(): void {
    subscription?.close();
    subscription = null;
  }

  /** Organizations whose events could not be stored, and the time until which they are left out. */
  const failed = new Map<OrgId, number>();

  /** Returns how many jobs it has made. */
  async function plan(orgIds: readonly OrgId[]): Promise<number> {
    const each = Math.ceil(ROUND / orgIds.length);
    const { inserted } = await storeAndEnqueue(deps, (reserve) =>
      deps.db.$transaction(async (tx) => {
        await limitStatements(tx, STATEMENT_LIMITS_MS);
        const deliveries = await storeDeliveries(tx, await lockUnplannedEvents(tx, orgIds, each));
        const repeats = await takeRepeats(tx, orgIds, each);
        const drafts = [
          ...deliveries
            .filter(({ isFailed }) => !isFailed)
            .map(({ id, event, webhookId }) => ({
              id,
              orgId: event.orgId,
              type: event.type,
              receiver: receiverOf(webhookId, event.callbackUrl),
              isRepeat: false,
            })),
          ...repeats.map(({ webhookId, ...repeat }) => ({ ...repeat, receiver: webhookId, isRepeat: true })),
        ];
        // The dispatcher chooses among receivers.
        return { inserted: await insertJobsIn(tx, reserve(await draftJobs(tx, drafts), false)) };
      }, LIMITS),
    );
    return inserted.length;
  }

  /** An event that cannot be stored now, for example because of a lock, delays no other organization. */
  async function planOrSplit(orgIds: readonly OrgId[]): Promise<number> {
    const [orgId] = orgIds;
    if (orgId === undefined) return 0;
    try {
      return await retryDeadlocks(() => plan(orgIds));
    } catch (error) {
      if (isUnavailable(error) && !isLockTimeout(error)) throw error;
      let made = 0;
      if (orgIds.length > 1) for (const one of orgIds) made += await planOrSplit([one]);
      else {
        failed.set(orgId, performance.now() + FAILED_MS);
        deps.events.emit('step.failed', { step: 'deliver', error });
      }
      return made;
    }
  }

  async function round(): Promise<number> {
    listen();
    const tooSoonMs = notBefore - performance.now();
    if (tooSoonMs > 0) return tooSoonMs;
    const orgIds = await listUnplannedOrgs(deps.hot, after, ORGS);
    const isFromStart = after === null;
    after = orgIds.length < ORGS ? null : (orgIds.at(-1) ?? null);
    if (orgIds.length === 0) {
      if (!isFromStart) return 0;
      notBefore = performance.now() + SOON_MS;
      return IDLE_MS;
    }
    for (const [orgId, untilMs] of failed) if (performance.now() >= untilMs) failed.delete(orgId);
    const ready = orgIds.filter((orgId) => !failed.has(orgId));
    if ((await planOrSplit(ready)) >= ROUND / 2) return 0;
    notBefore = performance.now() + SOON_MS;
    return SOON_MS;
  }

  return {
    name: 'deliver',
    round,
    failedMs: FAILED_MS,
    onWake(next) {
      wake = next;
    },
    onLost: stopListening,
    end: async () => stopListening(),
  };
}

async function storeDeliveries(tx: DbSession, events: readonly UnplannedEvent[]): Promise<NewDelivery[]> {
  if (events.length === 0) return [];
  const subscribers = await listSubscribers(tx, [...new Set(events.map(({ orgId }) => orgId))]);
  // If a webhook is being deleted, the events of its organization wait until it is certain whether they are for it.
  const unsure = new Set(subscribers.flatMap(({ orgId, isLocked }) => (isLocked ? [orgId] : [])));
  const planned = events.filter(({ orgId }) => !unsure.has(orgId));
  const deliveries = planned.flatMap((event): NewDelivery[] => [
    ...(event.callbackUrl === null ? [] : [{ id: newId(), event, webhookId: null, isFailed: false }]),
    ...subscribers
      .filter((one) => isFor(one, event))
      .map(({ id: webhookId, disabledAt }) => ({ id: newId(), event, webhookId, isFailed: disabledAt !== null })),
  ]);
  await insertDeliveries(tx, deliveries, DELIVERY_PAUSES_S.length + 1);
  await markPlanned(tx, planned);
  return deliveries;
}

/** Whether a webhook gets an event: it was enabled when the event was written. */
function isFor({ id, orgId, events, createdAt, disabledAt }: Subscriber, event: UnplannedEvent): boolean {
  if (event.isQuiet) return false;
  if (disabledAt !== null && disabledAt <= event.createdAt) return false;
  if (event.webhookId !== null) return event.webhookId === id;
  if (orgId !== event.orgId || createdAt > event.createdAt) return false;
  const [group] = event.type.split('.', 1);
  return events.some((pattern) => pattern === event.type || pattern === `${group}.*` || pattern === '*');
}

/** The organizations that deliver for these. */
export async function deliveryOrgs(tx: DbSession, orgIds: readonly OrgId[]): Promise<ReadonlyMap<OrgId, OrgId>> {
  const { concurrency: ofReceiver, orgConcurrency: ofAll } = EVENT_LIMITS;
  return orgIds.length === 0 ? new Map() : ensureDeliveryOrgs(tx, orgIds, { type: DELIVERY_TYPE, ofReceiver, ofAll });
}

interface DeliveryJob {
  id: string;
  /** The type of the event. */
  type: string;
  /** The organization whose event it is. */
  orgId: OrgId;
  receiver: string;
  /** One attempt on request; otherwise those that follow by themselves. */
  isRepeat: boolean;
}

async function draftJobs(tx: DbSession, deliveries: readonly DeliveryJob[]): Promise<JobDraft[]> {
  const senders = await deliveryOrgs(tx, [...new Set(deliveries.map(({ orgId }) => orgId))]);
  return deliveries.flatMap(({ id, orgId, type, receiver, isRepeat }): JobDraft[] => {
    const sender = senders.get(orgId);
    // The organization was deleted meanwhile.
    if (!sender) return [];
    const payload: DeliveryPayload = { delivery: id, repeat: isRepeat };
    return [
      {
        key: newJobKey(),
        orgId: sender,
        id: isRepeat ? newId() : id,
        type: DELIVERY_TYPE,
        queue: EVENTS_QUEUE,
        payload: JSON.stringify(payload),
        contentHash: null,
        priority: PRIORITY[type.startsWith('job.') ? 'ofJobs' : 'ofOthers'],
        maxRetries: MAX_RETRIES,
        runAt: null,
        traceparent: null,
        limitKey: receiver,
      },
    ];
  });
}
