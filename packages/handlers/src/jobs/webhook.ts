import type { JsonObject } from '@jobline/contracts';
import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { HandlerError } from '../errors.js';
import { outboundUrl, withoutQuery } from '../http/outbound-url.js';
import { responseFailure, USER_AGENT } from '../http/requests.js';
import { standardWebhookHeaders } from '../http/standard-webhooks.js';
import type { OutboundResponse } from '../ports/index.js';

interface Payload {
  url: string;
  payload: JsonObject;
}

const ANSWER_TIMEOUT_MS = 15_000;
const EXCERPT_BYTES = 1024;

/** Delivers at least once: every attempt of a job has the same `webhook-id`, so a receiver can detect repeats. */
export const webhook = defineHandler<Payload>({
  type: 'webhook',
  summary: 'POST a signed JSON object to a URL',
  queue: 'io',
  // Slightly above the limit of the call itself, whose message is more specific.
  timeoutMs: ANSWER_TIMEOUT_MS + 5_000,
  payload: Joi.object<Payload, true>({ url: outboundUrl.required(), payload: Joi.object().required() }),
  async run({ url, payload }, { ports, orgId, idempotencyKey, signal, log }) {
    const body = JSON.stringify(payload);
    const secrets = await ports.webhookSecrets.active(orgId);
    const timestampS = Math.floor(Date.now() / 1000);
    log('info', `POST ${withoutQuery(url)}`);

    const startedAt = performance.now();
    const answer = await ports.outbound.request({
      orgId,
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        ...standardWebhookHeaders(secrets, { id: idempotencyKey, timestampS, body }),
      },
      body,
      timeoutMs: ANSWER_TIMEOUT_MS,
      maxBytes: EXCERPT_BYTES,
      signal,
    });

    const took = `answered ${answer.status} in ${Math.round(performance.now() - startedAt)} ms`;
    if (answer.status < 200 || answer.status > 299) {
      log('warn', `${took}: ${excerpt(answer.body)}`);
      throw deliveryFailure(answer);
    }
    log('info', took);
    return { status: answer.status };
  },
});

/** Decoded as a stream, so that a truncated character at the end is left out and not shown as a broken one. */
function excerpt(body: Uint8Array): string {
  return new TextDecoder().decode(body, { stream: true }) || '(empty)';
}

function deliveryFailure(answer: OutboundResponse): HandlerError {
  const failure = responseFailure(answer, 'the receiver');
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return isRedirect ? new HandlerError(failure.code, `${failure.message}, and redirects are not followed`) : failure;
}
