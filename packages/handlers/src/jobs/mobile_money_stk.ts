import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { type PaymentTerms, paymentLine, paymentResult } from '../ports/index.js';
import { resultFields } from '../result-fields.js';

/**
 * Sends a payment prompt to a phone, at most once: no attempt sends a prompt unless it is certain that earlier attempts
 * did not. Done means that the prompt was sent. The outcome is added to the result when it is known.
 */
export const mobileMoneyStk = defineHandler<PaymentTerms>({
  type: 'mobile_money_stk',
  summary: 'Send a mobile money payment prompt to a phone',
  queue: 'io',
  // Longer than all limits of the provider together, so that an attempt never ends during its call.
  timeoutMs: 60_000,
  payload: Joi.object<PaymentTerms, true>({
    phone: Joi.string()
      .pattern(/^[1-9]\d{7,14}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be digits with the country code and without a plus' })
      .required(),
    amount: Joi.number().integer().min(1).max(1_000_000_000).required(),
    ref: Joi.string()
      .pattern(/^(?=.*\S)[^\p{Cc}]+$/u)
      .messages({ 'string.pattern.base': '{{#label}} must be printable and not blank' })
      .max(12)
      .required(),
  }),
  result: resultFields({
    provider: Joi.string(),
    checkout_request_id: Joi.string().allow(null),
    merchant_request_id: Joi.string().allow(null),
    payment: resultFields({
      status: Joi.valid('paid', 'failed'),
      code: Joi.string().allow(''),
      message: Joi.string().allow(''),
      receipt: Joi.string().allow('', null),
      paid_at: Joi.string().isoDate().allow(null),
    }).allow(null),
  }),
  about: ({ phone }) => ({ phone }),
  async run({ phone, amount, ref }, { ports, orgId, idempotencyKey, signal, log }) {
    const payment = await ports.payments.request(orgId, idempotencyKey, { phone, amount, ref }, signal);
    log('info', paymentLine(payment));
    return paymentResult(payment);
  },
});
