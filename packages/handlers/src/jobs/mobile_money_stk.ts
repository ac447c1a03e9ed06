import Joi from 'joi';
import { defineHandler } from '../define-handler.js';
import { type PaymentTerms, paymentLine, paymentResult } from '../ports/index.js';

/**
 * Asks a payer for money on their telephone, once at most: no attempt asks again unless it is certain that those before
 * did not. Done means that the payer is being asked; what they answer is added to the result when it is known.
 */
export const mobileMoneyStk = defineHandler<PaymentTerms>({
  type: 'mobile_money_stk',
  summary: 'Ask for a mobile money payment on a telephone',
  queue: 'io',
  // Longer than the provider's own limits together, so that an attempt is not ended amid its call.
  timeoutMs: 60_000,
  payload: Joi.object<PaymentTerms, true>({
    phone: Joi.string()
      .pattern(/^[1-9]\d{7,14}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be digits with the country code and without a plus' })
      .required(),
    amount: Joi.number().integer().min(1).max(1_000_000_000).required(),
    ref: Joi.string()
      .pattern(/^(?=.*\S)[^\p{Cc}]+$/u)
      .messages({ 'string.pattern.base': '{{#label}} must be printable, and more than white space' })
      .max(12)
      .required(),
  }),
  async run({ phone, amount, ref }, { ports, orgId, idempotencyKey, signal, log }) {
    const payment = await ports.payments.request(orgId, idempotencyKey, { phone, amount, ref }, signal);
    log('info', paymentLine(payment));
    return paymentResult(payment);
  },
});
