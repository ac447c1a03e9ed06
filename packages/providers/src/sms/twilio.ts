import { ProviderFailure } from '@jobline/handlers/errors';
import type { AcceptedMessage, Sms, SmsProvider } from '@jobline/handlers/ports';
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
import { MESSAGE_PARAM } from '../feedback/twilio.js';

interface Settings {
  /** The account (`AC…`). */
  SMS_ACCOUNT_SID: string;
  /** The API key (`SK…`) and its secret. */
  SMS_USERNAME: string;
  SMS_API_KEY: string;
  /** The sender of messages that name none: a number, a sender id, or a messaging service (`MG…`). */
  SMS_DEFAULT_FROM?: string;
  SMS_BASE_URL: string;
  SMS_TIMEOUT_MS: number;
  /** The base of the callback URL. */
  PUBLIC_URL: string;
}

/**
 * Twilio's Messages API, version 2010-04-01. It does not detect repeated requests. Sources:
 * twilio.com/docs/messaging/api/message-resource (fields, answer), twilio.com/docs/iam/api-keys (authentication),
 * twilio.com/docs/usage/twilios-response (errors).
 */
export const twilio = defineProvider<Settings, SmsProvider>({
  name: 'twilio',
  settings: Joi.object({
    SMS_ACCOUNT_SID: Joi.string()
      .trim()
      .pattern(/^AC\w+$/)
      .messages({ 'string.pattern.base': '{{#label}} must be the SID of the account: AC…' })
      .required(),
    SMS_USERNAME: Joi.string()
      .trim()
      .pattern(/^SK\w+$/)
      .messages({ 'string.pattern.base': '{{#label}} must be the SID of an API key: SK…' })
      .required(),
    SMS_API_KEY: secretSetting.required(),
    SMS_DEFAULT_FROM: Joi.string().trim(),
    SMS_BASE_URL: baseUrlSetting.default('https://api.twilio.com'),
    SMS_TIMEOUT_MS: timeoutSetting,
    PUBLIC_URL: baseUrlSetting.required(),
  }),
  create(settings, { log }) {
    const { SMS_ACCOUNT_SID: account, SMS_USERNAME: key, SMS_API_KEY: secret } = settings;
    const { SMS_BASE_URL: base, SMS_TIMEOUT_MS: timeoutMs } = settings;
    const call = createCallProvider({ who: 'twilio', log, base, timeoutMs });
    const credentials = Buffer.from(`${key}:${secret}`).toString('base64');
    return {
      provider: 'twilio',
      defaultFrom: settings.SMS_DEFAULT_FROM ?? null,
      choosesSender: false,
      async send(sms, signal) {
        const answer = await call({
          path: `/2010-04-01/Accounts/${account}/Messages.json`,
          headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
          body: formOf(sms, settings),
          secrets: [secret, credentials],
          signal,
        });
        return readSent(answer);
      },
    };
  },
});

function formOf({ id, to, from, message }: Sms, { SMS_DEFAULT_FROM, PUBLIC_URL }: Settings): URLSearchParams {
  const callback = `${below(PUBLIC_URL, '/webhooks/twilio')}?${new URLSearchParams({ [MESSAGE_PARAM]: id })}`;
  return new URLSearchParams({
    To: to,
    ...senderOf(from, SMS_DEFAULT_FROM),
    Body: message,
    StatusCallback: callback,
  });
}

/** Only the operator may choose a messaging service. */
function senderOf(from: string | null, byDefault: string | undefined): Record<string, string> {
  if (from !== null) return { From: from };
  if (byDefault === undefined)
    throw new ProviderFailure(
      'rejected',
      'twilio: set "from", because no default sender is configured (SMS_DEFAULT_FROM)',
    );
  return /^MG[0-9a-f]{32}$/i.test(byDefault) ? { MessagingServiceSid: byDefault } : { From: byDefault };
}

interface Answer {
  sid: unknown;
  code: unknown;
  message: unknown;
}

/** The sender has too many messages in Twilio's queue. The HTTP status is that of an invalid request. */
const QUEUE_IS_FULL = 21611;

function readSent(answer: ProviderAnswer): AcceptedMessage {
  const { sid, code, message } = readJson<Answer>(answer.text) ?? {};
  if (answer.status >= 200 && answer.status < 300) {
    const providerMessageId = readId(sid);
    if (providerMessageId === null) throw new ProviderFailure('ambiguous', 'twilio answered without a message id');
    return { providerMessageId };
  }
  const kind = code === QUEUE_IS_FULL ? 'throttled' : kindOfStatus(answer.status);
  const words = readWords(message);
  const said = words === null ? '' : `: ${answer.quote(words)}${typeof code === 'number' ? ` (${code})` : ''}`;
  throw answerFailure(kind, `twilio answered ${answer.status}${said}`, answer);
}
