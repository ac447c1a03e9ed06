import { AppError } from '@jobline/contracts';
import { isGenuine, mayBeGenuine, messageFeedback, paymentReports } from '@jobline/providers';
import Joi from 'joi';
import type { Deps } from '../deps.js';
import { defineEndpoint, type RawRequest } from '../endpoint.js';
import { notFound, unauthenticated } from '../http/errors.js';
import { json } from '../http/response-specs.js';
import { count, view } from '../http/view.js';

/** More than any provider sends in one callback. */
const MAX_BYTES = 2 * 1024 * 1024;

/** The response that M-PESA expects. */
const ACCEPTED = { ResultCode: 0, ResultDesc: 'Accepted' } as const;

interface Receipt {
  received: number;
  ResultCode?: 0;
  ResultDesc?: string;
}

const receiptView = view<Receipt>('CallbackReceipt', {
  received: count().description('How many entries were accepted, including those about unknown messages.'),
  ResultCode: Joi.valid(ACCEPTED.ResultCode).optional(),
  ResultDesc: Joi.valid(ACCEPTED.ResultDesc).optional(),
});

/**
 * Reports of providers about messages and payments. Answers once they are stored, so that the provider sends again what
 * was not stored. An invalid entry does not affect the others. A callback without a valid signature changes nothing.
 */
export const receiveCallback = defineEndpoint({
  method: 'post',
  path: '/webhooks/:provider',
  summary: 'Receive the callback of a provider',
  auth: 'none',
  needs: ['log', 'settings', 'takeFeedback', 'takePaymentReports'],
  params: { provider: /^[a-z0-9-]{1,64}$/ },
  raw: {
    maxBytes: MAX_BYTES,
    check: (head, { provider = '' }, { settings }) => requireGenuine(mayBeGenuine(provider, head, settings.callbacks)),
  },
  responses: { 200: json('The callback is stored.', receiptView) },
  errors: ['unauthenticated', 'unavailable'],
  async handle({ deps, params: { provider }, raw }) {
    if (!raw) throw new Error('a raw endpoint got no raw request');
    requireGenuine(isGenuine(provider, raw, deps.settings.callbacks));
    const receipt = await store(deps, provider, raw);
    if (!receipt) throw unreadable(provider);
    return { status: 200, body: receipt };
  },
});

/** Null: the callback does not have the provider's format. */
async function store(
  deps: Deps<'log' | 'takeFeedback' | 'takePaymentReports'>,
  provider: string,
  raw: RawRequest,
): Promise<Receipt | null> {
  const feedback = messageFeedback.get(provider)?.(raw);
  if (feedback) {
    if (feedback.unreadableCount > 0)
      deps.log.warn('callback has invalid entries', { provider, unreadableCount: feedback.unreadableCount });
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
  if (!isGenuine) throw unauthenticated('The callback has no valid signature, or its secret is wrong.');
}

function unreadable(provider: string): AppError {
  return new AppError('validation_failed', `The callback does not have the format of ${provider}.`);
}
