import Joi from 'joi';
import { paymentReports } from '../payments/index.js';
import { readAfricasTalkingReport } from './africastalking.js';
import { type Callback, type CallbackHead, hasSecret, type ReadFeedback, readPublicKey } from './callback.js';
import { hasSendgridSignature, isSignedBySendgrid, readSendgridEvents } from './sendgrid.js';

/** What tells that a callback is a provider's own. Without it, none is. */
export interface CallbackSettings {
  /** As the email provider shows it. */
  EMAIL_WEBHOOK_PUBLIC_KEY?: string;
  /** In the query of the callback's address, as `secret`. */
  SMS_WEBHOOK_SECRET?: string;
  /** Accepted as well, while the provider is given the new one. */
  SMS_WEBHOOK_SECRET_PREVIOUS?: string;
  PAYMENTS_WEBHOOK_SECRET?: string;
  /** Accepted as well: reports of earlier prompts come with it. */
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

/** Provider → how to read its feedback on messages: one line each. */
export const messageFeedback: ReadonlyMap<string, ReadFeedback> = new Map([
  ['sendgrid', readSendgridEvents],
  ['africastalking', readAfricasTalkingReport],
]);

/**
 * Whether a callback may be its provider's, by all that comes before its body: what is refused here need not be read. Null:
 * there is no such provider.
 */
export function mayBeGenuine(provider: string, head: CallbackHead, settings: CallbackSettings): boolean | null {
  if (provider === 'sendgrid') return hasSendgridSignature(head, settings.EMAIL_WEBHOOK_PUBLIC_KEY);
  return isGenuine(provider, { ...head, body: new Uint8Array() }, settings);
}

/** Whether a callback comes from the provider that its path names; null: there is no such provider. */
export function isGenuine(provider: string, callback: Callback, settings: CallbackSettings): boolean | null {
  if (provider === 'sendgrid') return isSignedBySendgrid(callback, settings.EMAIL_WEBHOOK_PUBLIC_KEY);
  if (messageFeedback.has(provider)) {
    return hasSecret(callback, [settings.SMS_WEBHOOK_SECRET, settings.SMS_WEBHOOK_SECRET_PREVIOUS]);
  }
  if (!paymentReports.has(provider)) return null;
  return hasSecret(callback, [settings.PAYMENTS_WEBHOOK_SECRET, settings.PAYMENTS_WEBHOOK_SECRET_PREVIOUS]);
}
