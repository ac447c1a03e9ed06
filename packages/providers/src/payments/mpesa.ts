import type { ProviderFailure, ProviderFailureKind } from '@jobline/handlers/errors';
import type { PaymentOutcome, PaymentsProvider, PromptIds } from '@jobline/handlers/ports';
import Joi from 'joi';
import {
  answerFailure,
  below,
  createCallProvider,
  kindOfStatus,
  type ProviderAnswer,
  readJson,
} from '../call-provider.js';
import { baseUrlSetting, defineProvider, secretSetting, timeoutSetting } from '../define-provider.js';
import { readId, readWords } from '../feedback/callback.js';
import { codeText, PAID, PAYMENT_PARAM } from '../feedback/mpesa.js';
import { type CallMpesa, createCallMpesa, errorOf } from './mpesa-calls.js';

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

/** A prompt waits about a minute for the payer. Later it is queried, in case its report does not arrive. */
const FIRST_QUERY_MS = 90_000;

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
    const call = createCallMpesa(createCallProvider({ who: 'mpesa', log, base, timeoutMs }), {
      consumerKey: settings.PAYMENTS_CONSUMER_KEY,
      consumerSecret: settings.PAYMENTS_CONSUMER_SECRET,
      secrets: secretsOf(settings),
    });
    return {
      provider: 'mpesa',
      firstQueryMs: FIRST_QUERY_MS,
      prompt: (prompt) => push(call, settings, prompt),
      async query(requestId, signal) {
        const own = credentials(settings);
        const body = { ...own, CheckoutRequestID: requestId };
        const answer = await call('/mpesa/stkpushquery/v1/query', signal, body, [own.Password]);
        return readOutcome(answer);
      },
    };
  },
});

async function push(
  call: CallMpesa,
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
  const answer = await call('/mpesa/stkpush/v1/processrequest', signal, body, [own.Password]);
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

interface Answer {
  MerchantRequestID: unknown;
  CheckoutRequestID: unknown;
  ResponseCode: unknown;
  ResponseDescription: unknown;
  ResultCode: unknown;
  ResultDesc: unknown;
}

/** The ids of an accepted prompt. The failure is `ambiguous` unless the answer says clearly that no prompt was sent. */
function readAccepted(answer: ProviderAnswer): PromptIds {
  if (!isSuccess(answer)) throw failure(promptFailure(answer), answer);
  const { CheckoutRequestID, MerchantRequestID, ResponseCode } = readJson<Answer>(answer.text) ?? {};
  const code = codeText(ResponseCode);
  if (code !== null && code !== ACCEPTED) throw failure('rejected', answer);
  const requestId = readId(CheckoutRequestID);
  if (code === null || requestId === null) throw failure('ambiguous', answer);
  return { requestId, merchantRequestId: readId(MerchantRequestID) };
}

const ACCEPTED = '0';

/**
 * A 5xx answer proves that no prompt was sent only if the service itself names the error. Other 5xx answers come from a
 * proxy in front of it, which may have lost the answer to a prompt that was sent.
 */
function promptFailure(answer: ProviderAnswer): ProviderFailureKind {
  const { code = '', message = '' } = errorOf(answer) ?? {};
  if (code.startsWith('500.003.') || answer.status === 429) return 'throttled';
  if (code === BUSY_OR_WRONG) return /lock|in process/i.test(message) ? 'transient' : 'rejected';
  if (answer.status >= 500 || answer.status === 408) return 'ambiguous';
  return kindOfStatus(answer.status);
}

/**
 * Wrong credentials, or a payer who has another prompt open. In a status query: a prompt that the payer has not
 * answered.
 */
const BUSY_OR_WRONG = '500.001.1001';

/** The outcome of a prompt; null if the payer has not answered yet. */
function readOutcome(answer: ProviderAnswer): PaymentOutcome | null {
  const { ResultCode, ResultDesc } = readJson<Answer>(answer.text) ?? {};
  const code = codeText(ResultCode);
  const error = errorOf(answer);
  if (code === STILL_OPEN || (error?.code === BUSY_OR_WRONG && /process/i.test(error.message))) return null;
  if (!isSuccess(answer) || code === null)
    throw failure(isSuccess(answer) ? 'transient' : kindOfStatus(answer.status), answer);
  return {
    status: code === PAID ? 'paid' : 'failed',
    code,
    message: answer.quote(readWords(ResultDesc) ?? ''),
    receipt: null,
    paidAt: null,
  };
}

/** Some answers say with this result code that the prompt is still open; others with an error. */
const STILL_OPEN = '4999';

function isSuccess({ status }: ProviderAnswer): boolean {
  return status >= 200 && status < 300;
}

function failure(kind: ProviderFailureKind, answer: ProviderAnswer): ProviderFailure {
  const { ResponseDescription } = readJson<Answer>(answer.text) ?? {};
  const error = errorOf(answer);
  const words = error ? `${error.message} (${error.code})` : ResponseDescription;
  const said = typeof words === 'string' && words !== '' ? `: ${answer.quote(words)}` : '';
  return answerFailure(kind, `mpesa answered ${answer.status}${said}`, answer);
}
