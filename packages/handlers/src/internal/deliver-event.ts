import { EVENT_LIMITS } from '@jobline/contracts';
import Joi from 'joi';
import { defineHandler, EVENTS_QUEUE } from '../define-handler.js';
import { HandlerError, messageOf, Postponed, retryAfterMs } from '../errors.js';
import { USER_AGENT } from '../http/requests.js';
import { standardWebhookHeaders } from '../http/standard-webhooks.js';
import type { DeliveryAttempt, DeliveryResult, Outbound } from '../ports/outbound.js';

/** The type of the jobs that deliver events. No caller can spell it, because it is not the name of a job type. */
export const DELIVERY_TYPE = '*deliver_event';

export interface DeliveryPayload {
  delivery: string;
  /** Whether it is one attempt on request. */
  repeat: boolean;
}

const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Carries out the attempts of a delivery. The job is postponed between them and ends when no attempt follows: whether the event
 * was delivered is stored with the delivery.
 */
export const deliverEvent = defineHandler<DeliveryPayload>({
  type: DELIVERY_TYPE,
  summary: 'Deliver an event to a webhook or a callback URL',
  queue: EVENTS_QUEUE,
  timeoutMs: ANSWER_TIMEOUT_MS + 15_000,
  payload: Joi.object<DeliveryPayload, true>({ delivery: Joi.string().required(), repeat: Joi.boolean().required() }),
  async run({ delivery, repeat }, { ports, signal, log }) {
    const attempt = await ports.eventDeliveries.begin(delivery, repeat);
    if (attempt === null) return null;
    if ('later' in attempt) throw new Postponed(attempt.later, 'the delivery is not due yet');
    const noteSlow = () => ports.eventDeliveries.noteSlow(attempt);
    const result = await whileFast(send(ports.outbound, attempt, signal), noteSlow, (error) =>
      log('warn', `could not note that the receiver is slow: ${messageOf(error)}`),
    );
    const pauseMs = await ports.eventDeliveries.record(delivery, repeat, result);
    if (pauseMs !== null) throw new Postponed(pauseMs, 'another attempt of the delivery follows');
    return null;
  },
});

/** Calls `noteSlow` while the attempt still runs, as soon as it is slow. */
async function whileFast<T>(
  sending: Promise<T>,
  noteSlow: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<T> {
  let noting: Promise<void> | undefined;
  const timer = setTimeout(() => {
    noting = noteSlow().catch(onError);
  }, EVENT_LIMITS.slowMs);
  try {
    return await sending;
  } finally {
    clearTimeout(timer);
    // Before the end of the attempt is noted.
    await noting;
  }
}

async function send(outbound: Outbound, attempt: DeliveryAttempt, signal: AbortSignal): Promise<DeliveryResult> {
  const { orgId, url, eventId, body, secrets } = attempt;
  const message = { id: eventId, timestampS: Math.floor(Date.now() / 1000), body };
  const startedAt = performance.now();
  const tookMs = () => Math.round(performance.now() - startedAt);
  try {
    const answer = await outbound.request({
      orgId,
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        ...standardWebhookHeaders(secrets, message),
      },
      body,
      timeoutMs: ANSWER_TIMEOUT_MS,
      maxBytes: EVENT_LIMITS.answerBytes,
      signal,
    });
    const { status } = answer;
    const isAccepted = status >= 200 && status <= 299;
    const mayAsk = status === 429 || status === 503;
    return {
      status,
      error: isAccepted ? null : `the receiver answered ${status}`,
      answer: textOf(answer.body),
      ms: tookMs(),
      retryAfterMs: mayAsk ? retryAfterMs(answer.headers['retry-after']) : null,
    };
  } catch (error) {
    // The worker stops: another one makes this attempt.
    signal.throwIfAborted();
    if (!(error instanceof HandlerError)) throw error;
    return { status: null, error: messageOf(error), answer: null, ms: tookMs(), retryAfterMs: null };
  }
}

/** Text that Postgres can store, with a placeholder for what is not UTF-8. */
function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '\uFFFD');
}
