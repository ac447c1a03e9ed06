import { ProviderFailure, type ProviderFailureKind } from '@jobline/handlers/errors';
import type { Chat, ChatContent } from '@jobline/handlers/ports';
import Joi from 'joi';
import { answerFailure, createCallProvider, type ProviderAnswer, readJson, statusFailure } from '../call-provider.js';
import { baseUrlSetting, defineProvider, secretSetting, timeoutSetting } from '../define-provider.js';
import { readId } from '../feedback/callback.js';

interface Settings {
  /** The access token. */
  CHAT_API_KEY: string;
  /** The id of the phone number that messages are sent from. */
  CHAT_PHONE_NUMBER_ID: string;
  CHAT_API_VERSION: string;
  CHAT_BASE_URL: string;
  CHAT_TIMEOUT_MS: number;
}

/**
 * WhatsApp's Cloud API. It does not detect repeated requests, so a message may be sent twice if an answer is lost. Sources:
 * github.com/facebook/openapi, business-messaging-api_v23.0.yaml (messages and templates);
 * developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes (errors).
 */
export const whatsapp = defineProvider<Settings, Chat>({
  name: 'whatsapp',
  settings: Joi.object({
    CHAT_API_KEY: secretSetting.required(),
    CHAT_PHONE_NUMBER_ID: Joi.string().pattern(/^\d+$/).required(),
    CHAT_API_VERSION: Joi.string()
      .pattern(/^v\d+\.\d+$/)
      .default('v23.0'),
    CHAT_BASE_URL: baseUrlSetting.default('https://graph.facebook.com'),
    CHAT_TIMEOUT_MS: timeoutSetting,
  }),
  create(settings, { log }) {
    const { CHAT_API_KEY: token, CHAT_API_VERSION: version, CHAT_PHONE_NUMBER_ID: from } = settings;
    const { CHAT_BASE_URL: base, CHAT_TIMEOUT_MS: timeoutMs } = settings;
    const call = createCallProvider({ who: 'whatsapp', log, base, timeoutMs });
    return {
      provider: 'whatsapp',
      async send({ to, ...content }, signal) {
        if (!PHONE.test(to)) {
          throw new ProviderFailure('rejected', 'whatsapp: the recipient must be a phone number with its country code');
        }
        const answer = await call({
          path: `/${version}/${from}/messages`,
          headers: { authorization: `Bearer ${token}` },
          body: {
            messaging_product: 'whatsapp',
            recipient_type: 'individual',
            to: to.replace('+', ''),
            ...contentOf(content),
          },
          secrets: [token],
          signal,
        });
        return readSent(answer);
      },
    };
  },
});

function contentOf({ message, template }: ChatContent): object {
  if (!template) return { type: 'text', text: { body: message, preview_url: false } };
  const { name, language, parameters = [] } = template;
  const body = { type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) };
  return {
    type: 'template',
    template: { name, language: { code: language }, ...(parameters.length > 0 && { components: [body] }) },
  };
}

const PHONE = /^\+?[1-9]\d{6,14}$/;

interface Sent {
  messages?: { id?: unknown }[];
}

interface Refused {
  error?: { message?: unknown; code?: unknown; is_transient?: unknown; error_data?: { details?: unknown } };
}

function readSent(answer: ProviderAnswer): { providerMessageId: string } {
  const providerMessageId = readId(readJson<Sent>(answer.text)?.messages?.[0]?.id);
  if (answer.status >= 200 && answer.status < 300 && providerMessageId !== null) return { providerMessageId };
  if (answer.status >= 200 && answer.status < 300) {
    throw new ProviderFailure('ambiguous', 'whatsapp answered without a message id');
  }
  const error = readJson<Refused>(answer.text)?.error;
  if (typeof error?.code !== 'number') throw statusFailure(answer, 'whatsapp', '');
  const words = [error.message, error.error_data?.details].filter((part) => typeof part === 'string').join(': ');
  const kind = error.is_transient === true ? 'transient' : (KINDS.get(error.code) ?? 'rejected');
  throw answerFailure(kind, `whatsapp: ${answer.quote(words)} (${error.code})`, answer);
}

/** The error codes after which a retry may succeed. The HTTP status is less specific. */
const KINDS: ReadonlyMap<number, ProviderFailureKind> = new Map([
  [1, 'transient'],
  [2, 'transient'],
  [4, 'throttled'],
  [80007, 'throttled'],
  [130429, 'throttled'],
  [131000, 'transient'],
  [131016, 'transient'],
  [131048, 'throttled'],
  [131056, 'transient'],
]);
