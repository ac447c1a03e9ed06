import { DELIVERY_PAUSES_S, EVENT_LIMITS, receiverOf } from '@jobline/contracts';
import {
  activeWebhookSecrets,
  type Db,
  type DeliveredEvent,
  type DeliveryState,
  disableWebhook,
  failPending,
  findDeliveryToSend,
  type LockedDelivery,
  lockDelivery,
  noteAttempt,
  noteReceiver,
  recordTry,
  retryDeadlocks,
} from '@jobline/db';
import type { DeliveryResult, EventDeliveries } from '@jobline/handlers/ports';
import type { SecretCipher } from '@jobline/runtime';

const GONE = 410;
/** The longest pause that a receiver can ask for. */
const MAX_PAUSE_MS = 24 * 3_600_000;
/** A pause is longer or shorter by at most this part, so that deliveries that failed together do not return together. */
const JITTER = 0.1;
/** A job that comes this much too early makes its attempt. */
const EARLY_MS = 100;

/** The deliveries of events in Postgres. */
export function createEventDeliveries({ db, cipher }: { db: Db; cipher: SecretCipher }): EventDeliveries {
  return {
    async begin(id, isRepeat) {
      const delivery = await findDeliveryToSend(db, id);
      if (delivery?.status !== 'pending' || (!isRepeat && delivery.attemptsLeft === 0)) return null;
      if (!delivery.isEnabled && delivery.webhookId !== null) {
        const { webhookId } = delivery;
        await failPending(db, webhookId);
        return null;
      }
      if (!isRepeat && delivery.dueInMs > EARLY_MS) return { later: delivery.dueInMs };
      const { orgId, url, webhookId, event } = delivery;
      const secrets = await activeWebhookSecrets(db, orgId, cipher, webhookId);
      const receiver = receiverOf(webhookId, url);
      return { orgId, url, eventId: event.id, body: bodyOf(event), secrets, receiver };
    },
    noteSlow: ({ orgId, receiver }) => noteReceiver(db, orgId, receiver, 'slow'),
    async record(id, isRepeat, result) {
      const recorded = await record(db, id, isRepeat, result);
      if (!recorded) return null;
      const { orgId, webhookId, callbackUrl, delayMs } = recorded;
      const how = result.error === null ? 'soon' : 'failed';
      // A success that was slow is noted already.
      if (how === 'failed' || result.ms <= EVENT_LIMITS.slowMs)
        await noteReceiver(db, orgId, receiverOf(webhookId, callbackUrl), how);
      // After the record: while it locks the delivery, another attempt may lock the webhook and wait for its deliveries.
      if (webhookId !== null && !recorded.isOutdated) await retryDeadlocks(() => noteResult(db, webhookId, result));
      return delayMs === 'keep' ? null : delayMs;
    },
  };
}

/** Null: the delivery was deleted. */
function record(
  db: Db,
  id: string,
  isRepeat: boolean,
  result: DeliveryResult,
): Promise<(LockedDelivery & Pick<DeliveryState, 'delayMs' | 'isOutdated'>) | null> {
  return db.$transaction(async (tx) => {
    const delivery = await lockDelivery(tx, id);
    if (!delivery) return null;
    const state = stateAfter(delivery, isRepeat, result);
    await recordTry(tx, id, delivery.attempts + 1, result, state);
    return { ...delivery, delayMs: state.delayMs, isOutdated: state.isOutdated };
  });
}

/** Disables a webhook whose receiver is gone or has failed for too long. */
async function noteResult(db: Db, webhookId: string, { error, status }: DeliveryResult): Promise<void> {
  const failingMs = await noteAttempt(db, webhookId, error === null);
  const isFailing = failingMs >= EVENT_LIMITS.disableAfterMs;
  if (status !== GONE && !isFailing) return;
  const reason = status === GONE ? 'it answered 410' : 'every attempt of the last 5 days failed';
  await db.$transaction((tx) => disableWebhook(tx, webhookId, reason));
  await failPending(db, webhookId);
}

/** The body of an event. A job that is too large has no result, and what is too large then is reduced to its id. */
export function bodyOf({ id, type, data, createdAt }: DeliveredEvent): string {
  const body = (content: string) =>
    `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"timestamp":"${createdAt.toISOString()}","data":${content}}`;
  const fits = (text: string) => Buffer.byteLength(text) <= EVENT_LIMITS.bodyBytes;
  const whole = body(data);
  if (fits(whole)) return whole;
  // The cast: every event is about an object.
  const { result, ...object } = JSON.parse(data) as { id: unknown; result?: unknown };
  const shorter = body(JSON.stringify({ ...object, result_omitted: true }));
  return result !== undefined && fits(shorter) ? shorter : body(JSON.stringify({ id: object.id }));
}

/** How many attempts a delivery makes by itself. */
const DELIVERY_ATTEMPTS = DELIVERY_PAUSES_S.length + 1;

/**
 * The state of a delivery after an attempt. An attempt on request uses none of those that follow by themselves. An attempt that
 * fails after another one has succeeded is outdated: it is stored, and changes nothing.
 */
function stateAfter(delivery: LockedDelivery, isRepeat: boolean, result: DeliveryResult): DeliveryState {
  const isOutdated = result.error !== null && delivery.status === 'delivered';
  if (result.error === null || isOutdated) return { status: 'delivered', attemptsLeft: 0, delayMs: null, isOutdated };
  const left = Math.max(0, isRepeat ? delivery.attemptsLeft : delivery.attemptsLeft - 1);
  if (left === 0 || result.status === GONE) return { status: 'failed', attemptsLeft: 0, delayMs: null, isOutdated };
  if (isRepeat) return { status: 'pending', attemptsLeft: left, delayMs: 'keep', isOutdated };
  const pauseMs = (DELIVERY_PAUSES_S[DELIVERY_ATTEMPTS - 1 - left] ?? 0) * 1_000;
  const jittered = pauseMs * (1 + JITTER * (2 * Math.random() - 1));
  const delayMs = Math.min(MAX_PAUSE_MS, Math.max(jittered, result.retryAfterMs ?? 0));
  return { status: 'pending', attemptsLeft: left, delayMs, isOutdated };
}
