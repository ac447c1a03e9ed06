import type { PaymentsProvider } from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from '../define-provider.js';
import { below, createCallProvider } from '../http/call-provider.js';
import { baseUrlSetting, secretSetting, timeoutSetting } from '../settings.js';
import { readAccepted, readEnd } from './mpesa-answers.js';
import { createMpesaCalls, type MpesaCalls } from './mpesa-calls.js';
import { PAYMENT_PARAM } from './mpesa-report.js';

interface Settings {
  PAYMENTS_CONSUMER_KEY: string;
  PAYMENTS_CONSUMER_SECRET: string;
  PAYMENTS_PASSKEY: string;
  /** Who is paid: a pay bill number, or a store's with a till. */
  PAYMENTS_SHORTCODE: string;
  /** Given: the money goes to this till (buy goods). */
  PAYMENTS_TILL?: string;
  PAYMENTS_BASE_URL: string;
  /** Of one request; a prompt may take two, and two for tokens, all within its handler's minute. */
  PAYMENTS_TIMEOUT_MS: number;
  /** In the address that reports are sent to: who knows it may report. */
  PAYMENTS_WEBHOOK_SECRET: string;
  /** Below it is that address. */
  PUBLIC_URL: string;
}

/** What the payer is shown of the purpose is cut there. */
const MAX_DESCRIPTION_LENGTH = 13;

/** Safaricom's Daraja: M-PESA Express, also called STK push. It knows no repeats. */
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
    const calls = createMpesaCalls(createCallProvider({ who: 'mpesa', log }).call, {
      base: settings.PAYMENTS_BASE_URL,
      consumerKey: settings.PAYMENTS_CONSUMER_KEY,
      consumerSecret: settings.PAYMENTS_CONSUMER_SECRET,
      secrets: secretsOf(settings),
    });
    return {
      provider: 'mpesa',
      prompt: (prompt) => push(calls, settings, prompt),
      async query(requestId, signal) {
        const answer = await calls.post('/mpesa/stkpushquery/v1/query', settings.PAYMENTS_TIMEOUT_MS, signal, {
          ...credentials(settings),
          CheckoutRequestID: requestId,
        });
        return readEnd(answer);
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
  // Nothing ends it but its own time: what it answers is worth waiting for.
  const signal = new AbortController().signal;
  const answer = await calls.post('/mpesa/stkpush/v1/processrequest', settings.PAYMENTS_TIMEOUT_MS, signal, {
    ...credentials(settings),
    TransactionType: till ? 'CustomerBuyGoodsOnline' : 'CustomerPayBillOnline',
    Amount: amount,
    PartyA: phone,
    PartyB: till ?? shortcode,
    PhoneNumber: phone,
    CallBackURL: callbackUrl(settings, id),
    AccountReference: ref,
    TransactionDesc: ref.slice(0, MAX_DESCRIPTION_LENGTH),
  });
  return readAccepted(answer);
}

function callbackUrl({ PUBLIC_URL, PAYMENTS_WEBHOOK_SECRET: secret }: Settings, id: string): string {
  return `${below(PUBLIC_URL, '/webhooks/mpesa')}?${new URLSearchParams({ secret, [PAYMENT_PARAM]: id })}`;
}

/** What goes out in a request, as it stands there. */
function secretsOf({ PAYMENTS_PASSKEY: passkey, PAYMENTS_WEBHOOK_SECRET: secret }: Settings): string[] {
  return [passkey, secret, new URLSearchParams({ secret }).toString()];
}

/** Password and timestamp belong together. */
function credentials({ PAYMENTS_SHORTCODE: shortcode, PAYMENTS_PASSKEY: passkey }: Settings): Record<string, string> {
  const timestamp = eastAfricanTime(new Date());
  return {
    BusinessShortCode: shortcode,
    Password: Buffer.from(shortcode + passkey + timestamp).toString('base64'),
    Timestamp: timestamp,
  };
}

/** YYYYMMDDHHmmss, three hours ahead of UTC. */
function eastAfricanTime(at: Date): string {
  return new Date(at.getTime() + 3 * 3_600_000).toISOString().replace(/\D/g, '').slice(0, 14);
}
