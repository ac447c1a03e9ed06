import { AppError } from '@jobline/contracts';
import { challenges, messageFeedback, paymentReports } from '@jobline/providers';
import { defineEndpoint } from '../endpoint.js';
import { methodNotAllowed, notFound, unauthenticated } from '../http/errors.js';
import { stream } from '../http/response-specs.js';

/** Before a provider sends callbacks, it may check that their address belongs to the owner of its account. */
export const answerChallenge = defineEndpoint({
  method: 'get',
  path: '/webhooks/:provider',
  summary: 'Answer the challenge of a provider',
  auth: 'none',
  needs: ['settings'],
  params: { provider: /^[a-z0-9-]{1,64}$/ },
  raw: {
    maxBytes: 0,
    check(head, { provider = '' }, { settings }) {
      const challenge = challenges.get(provider);
      if (!challenge)
        throw messageFeedback.has(provider) || paymentReports.has(provider) ? methodNotAllowed('POST') : notFound();
      if (!challenge.isGenuine(head, settings.callbacks)) throw unauthenticated('The verify token is wrong.');
    },
  },
  responses: { 200: stream('The text of the challenge.', 'text/plain') },
  errors: ['unauthenticated', 'method_not_allowed'],
  async handle({ params: { provider }, raw }) {
    const text = raw && challenges.get(provider)?.read(raw);
    if (!text) throw new AppError('validation_failed', `The request does not have the format of ${provider}.`);
    return { status: 200, stream: bytesOf(text), headers: { 'Content-Type': 'text/plain' } };
  },
});

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
