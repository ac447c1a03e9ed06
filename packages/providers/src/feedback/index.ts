import type { PaymentReport } from '@jobline/handlers/ports';
import Joi from 'joi';
import { readAfricasTalkingReport } from './africastalking.js';
import { type Callback, type CallbackHead, hasSecret, type ReadFeedback, readPublicKey } from './callback.js';
import { readMpesaReport } from './mpesa.js';
import { hasSendgridSignature, isSignedBySendgrid, readSendgridEvents } from './sendgrid.js';

/** The settings that authenticate callbacks. Without the setting of a provider, all of its callbacks are rejected. */
export interface CallbackSettings {
  /** The public key that the email provider shows. */
  EMAIL_WEBHOOK_PUBLIC_KEY?: string;
  /** The query parameter `secret` of the callback URL. */
  SMS_WEBHOOK_SECRET?: string;
  /** Also accepted, until the new secret is configured at the provider. */
  SMS_WEBHOOK_SECRET_PREVIOUS?: string;
  PAYMENTS_WEBHOOK_SECRET?: string;
  /** Also accepted: reports of earlier prompts carry it. */
  PAYMENTS_WEBHOOK_SECRET_PREVIOUS?: string;
}

export const callbackSchema = Joi.object<CallbackSettings>({
  EMAIL_WEBHOOK_PUBLIC_KEY: Joi.string().custom((key: string, { message }) =>
    readPublicKey(key)
      ? key
      : message({ custom: '{{#label}} must be a P-256 public key: base64 of its DER, in one line' }),
  ),
  SMS_WEBHOOK_SECRET: Joi.string(),
  SMS_WEBHOOK_SECRET_PREVIOUS: Joi.string(),
  PAYMENTS_WEBHOOK_SECRET: Joi.string(),
  PAYMENTS_WEBHOOK_SECRET_PREVIOUS: Joi.string(),
});

/** Provider → reader of its feedback on messages. Each provider is one line. */
export const messageFeedback: ReadonlyMap<string, ReadFeedback> = new Map([
  ['sendgrid', readSendgridEvents],
  ['africastalking', readAfricasTalkingReport],
]);

/**
 * Reads the body and the query of a request that a provider sends to `/webhooks/<its name>`. Null if the provider does
 * not send this form. The sender must already be authenticated.
 */
export type ReadPaymentReports = (body: Uint8Array, query: URLSearchParams) => PaymentReport[] | null;

/** Provider → reader of its reports. */
export const paymentReports: ReadonlyMap<string, ReadPaymentReports> = new Map([['mpesa', readMpesaReport]]);

/**
 * Whether a callback can be genuine, judged before its body is read. The body of a rejected callback need not be read.
 * Null: there is no such provider.
 */
export function mayBeGenuine(provider: string, head: CallbackHead, settings: CallbackSettings): boolean | null {
  if (provider === 'sendgrid') return hasSendgridSignature(head, settings.EMAIL_WEBHOOK_PUBLIC_KEY);
  return isGenuine(provider, { ...head, body: new Uint8Array() }, settings);
}

/** Whether a callback comes from the provider that its path names. Null: there is no such provider. */
export function isGenuine(provider: string, callback: Callback, settings: CallbackSettings): boolean | null {
  if (provider === 'sendgrid') return isSignedBySendgrid(callback, settings.EMAIL_WEBHOOK_PUBLIC_KEY);
  if (messageFeedback.has(provider)) {
    return hasSecret(callback, [settings.SMS_WEBHOOK_SECRET, settings.SMS_WEBHOOK_SECRET_PREVIOUS]);
  }
  if (!paymentReports.has(provider)) return null;
  return hasSecret(callback, [settings.PAYMENTS_WEBHOOK_SECRET, settings.PAYMENTS_WEBHOOK_SECRET_PREVIOUS]);
}
