import type { PaymentReport } from '@jobline/handlers/ports';
import Joi from 'joi';
import { readAfricasTalkingReport } from './africastalking.js';
import { type Callback, type CallbackHead, hasSecret, type ReadFeedback, readPublicKey } from './callback.js';
import { readMpesaReport } from './mpesa.js';
import { hasSendgridSignature, isSignedBySendgrid, readSendgridEvents } from './sendgrid.js';
import { hasTwilioSignature, isSignedByTwilio, readTwilioStatus } from './twilio.js';
import {
  hasVerifyToken,
  hasWhatsappSignature,
  isSignedByWhatsapp,
  readChallenge,
  readWhatsappStatuses,
} from './whatsapp.js';

/** The settings that authenticate callbacks. Without the setting of a provider, all of its callbacks are rejected. */
export interface CallbackSettings {
  /** The secret of Meta's app, with which it signs. */
  CHAT_WEBHOOK_SECRET?: string;
  /** The token with which Meta checks the address of its callbacks. */
  CHAT_WEBHOOK_VERIFY_TOKEN?: string;
  /** The public key that the email provider shows. */
  EMAIL_WEBHOOK_PUBLIC_KEY?: string;
  /** The query parameter `secret` of the callback URL, or the auth token with which Twilio signs. */
  SMS_WEBHOOK_SECRET?: string;
  /** Also accepted, until the new secret is configured at the provider. */
  SMS_WEBHOOK_SECRET_PREVIOUS?: string;
  PAYMENTS_WEBHOOK_SECRET?: string;
  /** Also accepted: reports of earlier prompts carry it. */
  PAYMENTS_WEBHOOK_SECRET_PREVIOUS?: string;
}

export const callbackSchema = Joi.object<CallbackSettings>({
  CHAT_WEBHOOK_SECRET: Joi.string(),
  CHAT_WEBHOOK_VERIFY_TOKEN: Joi.string(),
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
  ['twilio', readTwilioStatus],
  ['whatsapp', readWhatsappStatuses],
]);

/**
 * Reads the body and the query of a request that a provider sends to `/webhooks/<its name>`. Null if the provider does
 * not send this form. The sender must already be authenticated.
 */
export type ReadPaymentReports = (body: Uint8Array, query: URLSearchParams) => PaymentReport[] | null;

/** Provider → reader of its reports. */
export const paymentReports: ReadonlyMap<string, ReadPaymentReports> = new Map([['mpesa', readMpesaReport]]);

/** How a callback proves that it comes from its provider. */
interface Proof {
  /** Judged before the body is read: whether the callback can be genuine. */
  mayHold(head: CallbackHead, settings: CallbackSettings): boolean;
  holds(callback: Callback, settings: CallbackSettings): boolean;
}

const smsSecrets = (settings: CallbackSettings) => [settings.SMS_WEBHOOK_SECRET, settings.SMS_WEBHOOK_SECRET_PREVIOUS];
const paymentSecrets = (settings: CallbackSettings) => [
  settings.PAYMENTS_WEBHOOK_SECRET,
  settings.PAYMENTS_WEBHOOK_SECRET_PREVIOUS,
];

/** The provider puts the secret into the URL. */
function secretInUrl(secretsOf: (settings: CallbackSettings) => (string | undefined)[]): Proof {
  const hasIt: Proof['mayHold'] = (head, settings) => hasSecret(head, secretsOf(settings));
  return { mayHold: hasIt, holds: hasIt };
}

/** Provider → proof. Each provider is one entry. */
const proofs: ReadonlyMap<string, Proof> = new Map<string, Proof>([
  ['africastalking', secretInUrl(smsSecrets)],
  ['mpesa', secretInUrl(paymentSecrets)],
  [
    'sendgrid',
    {
      mayHold: (head, settings) => hasSendgridSignature(head, settings.EMAIL_WEBHOOK_PUBLIC_KEY),
      holds: (callback, settings) => isSignedBySendgrid(callback, settings.EMAIL_WEBHOOK_PUBLIC_KEY),
    },
  ],
  [
    'twilio',
    {
      mayHold: (head, settings) => hasTwilioSignature(head, smsSecrets(settings)),
      holds: (callback, settings) => isSignedByTwilio(callback, smsSecrets(settings)),
    },
  ],
  [
    'whatsapp',
    {
      mayHold: (head, settings) => hasWhatsappSignature(head, settings.CHAT_WEBHOOK_SECRET),
      holds: (callback, settings) => isSignedByWhatsapp(callback, settings.CHAT_WEBHOOK_SECRET),
    },
  ],
]);

/**
 * Whether a callback can be genuine, judged before its body is read. The body of a rejected callback need not be read.
 * Null: there is no such provider.
 */
export function mayBeGenuine(provider: string, head: CallbackHead, settings: CallbackSettings): boolean | null {
  return proofs.get(provider)?.mayHold(head, settings) ?? null;
}

/** Whether a callback comes from the provider that its path names. Null: there is no such provider. */
export function isGenuine(provider: string, callback: Callback, settings: CallbackSettings): boolean | null {
  return proofs.get(provider)?.holds(callback, settings) ?? null;
}

/** A request with which a provider checks the address of its callbacks before it sends any. */
interface Challenge {
  isGenuine(head: CallbackHead, settings: CallbackSettings): boolean;
  /** The text to answer. Null if the request is not in the form that the provider sends. */
  read(head: CallbackHead): string | null;
}

/** Provider → challenge. The other providers send none. */
export const challenges: ReadonlyMap<string, Challenge> = new Map([
  [
    'whatsapp',
    {
      isGenuine: (head, settings) => hasVerifyToken(head, settings.CHAT_WEBHOOK_VERIFY_TOKEN),
      read: readChallenge,
    },
  ],
]);
