import { AppError } from '@jobline/contracts';
import { isGenuine, mayBeGenuine, messageFeedback, paymentReports } from '@jobline/providers';
import Joi from 'joi';
import type { EndpointDeps } from '../../deps.js';
import { defineEndpoint, type RawRequest } from '../../endpoint.js';
import { notFound } from '../../http/http-errors.js';
import { json } from '../../http/responses.js';
import { count, view } from '../../views/view.js';

/** More than any provider puts into one batch. */
const MAX_BYTES = 2 * 1024 * 1024;

/** What M-PESA wants to hear. */
const ACCEPTED = { ResultCode: 0, ResultDesc: 'Accepted' } as const;

interface Receipt {
  received: number;
  ResultCode?: 0;
  ResultDesc?: string;
}

const receiptView = view<Receipt>(
  'CallbackReceipt',
  {
    received: count().description('How many entries were taken, those that are not known here included.'),
    ResultCode: Joi.valid(ACCEPTED.ResultCode),
    ResultDesc: Joi.valid(ACCEPTED.ResultDesc),
  },
  { optional: ['ResultCode', 'ResultDesc'] },
);

/**
 * What providers tell of messages and payments. Answered once it is kept, so that what we did not keep is sent again. A
 * bad entry does not lose the others; a callback that nobody has signed changes nothing.
 */
export const receiveCallback = defineEndpoint({
  method: 'post',
  path: '/webhooks/:provider',
  summary: 'Take the feedback of a provider',
  auth: 'none',
  params: { provider: /^[a-z0-9-]{1,64}$/ },
  raw: {
    maxBytes: MAX_BYTES,
    check: (head, { provider = '' }, { settings }) => requireGenuine(mayBeGenuine(provider, head, settings.callbacks)),
  },
  responses: { 200: json('It is kept.', receiptView) },
  errors: ['unauthenticated', 'unavailable'],
  async handle({ deps, params: { provider }, raw }) {
    if (!raw) throw new Error('a raw endpoint has its request');
    requireGenuine(isGenuine(provider, raw, deps.settings.callbacks));
    const receipt = await take(deps, provider, raw);
    if (!receipt) throw unreadable(provider);
    return { status: 200, body: receipt };
  },
});

/** Null: it is not what the provider sends. */
async function take(deps: EndpointDeps, provider: string, raw: RawRequest): Promise<Receipt | null> {
  const feedback = messageFeedback.get(provider)?.(raw);
  if (feedback) {
    if (feedback.faults > 0)
      deps.log.warn('entries of a callback cannot be read', { provider, faults: feedback.faults });
    await deps.takeFeedback(provider, feedback.events);
    return { received: feedback.events.length };
  }
  const reports = paymentReports.get(provider)?.(raw.body, raw.query);
  if (!reports) return null;
  await deps.takePaymentReports(provider, reports);
  return { received: reports.length, ...ACCEPTED };
}

function requireGenuine(isGenuine: boolean | null): void {
  if (isGenuine === null) throw notFound();
  if (!isGenuine) throw notSigned();
}

function notSigned(): AppError {
  return new AppError('unauthenticated', 'The callback is not signed by its provider, or its secret is wrong.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

function unreadable(provider: string): AppError {
  return new AppError('validation_failed', `This is not what ${provider} sends.`);
}
