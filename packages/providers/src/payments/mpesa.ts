import type { PaymentsProvider } from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from '../define-provider.js';
import { below, createCallProvider } from '../http/call-provider.js';
import { baseUrlSetting, secretSetting, timeoutSetting } from '../settings.js';
import { readAccepted, readOutcome } from './mpesa-answers.js';
import { createMpesaCalls, type MpesaCalls } from './mpesa-calls.js';
import { PAYMENT_PARAM } from './mpesa-report.js';

interface Settings {
  PAYMENTS_CONSUMER_KEY: string;
  PAYMENTS_CONSUMER_SECRET: string;
  PAYMENTS_PASSKEY: string;
  /** The recipient of payments: a pay bill number, or the store number of a till. */
  PAYMENTS_SHORTCODE: string;
  /** If set, the money goes to this till (buy goods). */
  PAYMENTS_TILL?: string;
  PAYMENTS_BASE_URL: string;
  /** The limit of one request. A prompt may need two, and two for tokens, all within its handler's minute. */
  PAYMENTS_TIMEOUT_MS: number;
  /** A part of the callback URL. A caller that knows it is accepted as the provider. */
  PAYMENTS_WEBHOOK_SECRET: string;
  /** The base of the callback URL. */
  PUBLIC_URL: string;
}

/** The maximum length of the description that the payer sees. */
const MAX_DESCRIPTION_LENGTH = 13;

/** Safaricom's Daraja API: M-PESA Express, also called STK push. It does not detect repeated requests. */
export const mpesa = defineProvider<Settings, PaymentsProvider>({
  name: 'mpesa',
  settings: Joi.object({
    PAYMENTS_CONSUMER_KEY: secretSetting.required(),
    PAYMENTS_CONSUMER_SECRET: secretSetting.required(),
    PAYMENTS_PASSKEY: secretSetting.required(),
    PAYMENTS_SHORTCODE: Joi.string()
      .pattern(/^\d{5,7}$/)
      .required(),
    PAYMENTS_TILL: Joi.string().pattern(/^\d{5,8}$/),
    PAYMENTS_BASE_URL: baseUrlSetting.default('https://api.safaricom.co.ke'),
    PAYMENTS_TIMEOUT_MS: timeoutSetting.max(20_000),
    PAYMENTS_WEBHOOK_SECRET: Joi.string().min(16).required(),
    PUBLIC_URL: baseUrlSetting.required(),
  }),
  create(settings, { log }) {
    const { PAYMENTS_BASE_URL: base, PAYMENTS_TIMEOUT_MS: timeoutMs } = settings;
    const calls = createMpesaCalls(createCallProvider({ who: 'mpesa', log, base, timeoutMs }), {
      consumerKey: settings.PAYMENTS_CONSUMER_KEY,
      consumerSecret: settings.PAYMENTS_CONSUMER_SECRET,
      secrets: secretsOf(settings),
    });
    return {
      provider: 'mpesa',
      prompt: (prompt) => push(calls, settings, prompt),
      async query(requestId, signal) {
        const own = credentials(settings);
        const body = { ...own, CheckoutRequestID: requestId };
        const answer = await calls.post('/mpesa/stkpushquery/v1/query', signal, body, [own.Password]);
        return readOutcome(answer);
      },
    };
  },
});

async function push(
  calls: MpesaCalls,
  settings: Settings,
  { id, phone, amount, ref }: Parameters<PaymentsProvider['prompt']>[0],
) {
  const { PAYMENTS_SHORTCODE: shortcode, PAYMENTS_TILL: till } = settings;
  // Only its own time limit ends the call: its answer is worth waiting for.
  const signal = new AbortController().signal;
  const own = credentials(settings);
  const body = {
    ...own,
    TransactionType: till ? 'CustomerBuyGoodsOnline' : 'CustomerPayBillOnline',
    Amount: amount,
    PartyA: phone,
    PartyB: till ?? shortcode,
    PhoneNumber: phone,
    CallBackURL: callbackUrl(settings, id),
    AccountReference: ref,
    TransactionDesc: ref.slice(0, MAX_DESCRIPTION_LENGTH),
  };
  const answer = await calls.post('/mpesa/stkpush/v1/processrequest', signal, body, [own.Password]);
  return readAccepted(answer);
}

function callbackUrl({ PUBLIC_URL, PAYMENTS_WEBHOOK_SECRET: secret }: Settings, id: string): string {
  return `${below(PUBLIC_URL, '/webhooks/mpesa')}?${new URLSearchParams({ secret, [PAYMENT_PARAM]: id })}`;
}

/** The secrets that requests contain, in the form in which they are sent. */
function secretsOf({ PAYMENTS_PASSKEY: passkey, PAYMENTS_WEBHOOK_SECRET: secret }: Settings): string[] {
  return [passkey, secret, new URLSearchParams({ secret }).toString()];
}

/** The password is derived from the timestamp, so both must be sent together. */
function credentials({ PAYMENTS_SHORTCODE: shortcode, PAYMENTS_PASSKEY: passkey }: Settings) {
  const timestamp = eastAfricanTime(new Date());
  return {
    BusinessShortCode: shortcode,
    Password: Buffer.from(shortcode + passkey + timestamp).toString('base64'),
    Timestamp: timestamp,
  };
}

/** The time as YYYYMMDDHHmmss in UTC+3. */
function eastAfricanTime(at: Date): string {
  return new Date(at.getTime() + 3 * 3_600_000).toISOString().replace(/\D/g, '').slice(0, 14);
}
