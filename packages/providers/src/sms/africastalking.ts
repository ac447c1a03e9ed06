import { ProviderFailure, type ProviderFailureKind } from '@jobline/handlers/errors';
import type { Sms, SmsProvider } from '@jobline/handlers/ports';
import Joi from 'joi';
import { createCallProvider, type ProviderAnswer, readJson, statusFailure } from '../call-provider.js';
import { baseUrlSetting, defineProvider, secretSetting, timeoutSetting } from '../define-provider.js';

interface Settings {
  SMS_API_KEY: string;
  SMS_USERNAME: string;
  SMS_BASE_URL: string;
  SMS_TIMEOUT_MS: number;
}

/**
 * Africa's Talking, with the form API that its live service and its sandbox share. It does not detect repeated
 * requests.
 */
export const africastalking = defineProvider<Settings, SmsProvider>({
  name: 'africastalking',
  settings: Joi.object({
    SMS_API_KEY: secretSetting.required(),
    SMS_USERNAME: Joi.string().trim().required(),
    SMS_BASE_URL: baseUrlSetting
      // The sandbox of the service has its own address and the user name "sandbox".
      .default(({ SMS_USERNAME }: Settings) =>
        SMS_USERNAME === 'sandbox' ? 'https://api.sandbox.africastalking.com' : 'https://api.africastalking.com',
      ),
    SMS_TIMEOUT_MS: timeoutSetting,
  }),
  create({ SMS_API_KEY: apiKey, SMS_USERNAME: username, SMS_BASE_URL: base, SMS_TIMEOUT_MS: timeoutMs }, { log }) {
    const call = createCallProvider({ who: 'africastalking', log, base, timeoutMs });
    // Without `accept`, the answer is XML.
    const headers = { apikey: apiKey, accept: 'application/json' };
    return {
      provider: 'africastalking',
      defaultFrom: null,
      choosesSender: true,
      async send(sms, signal) {
        const body = formOf(sms, username);
        return readSent(await call({ path: '/version1/messaging', headers, body, secrets: [apiKey], signal }));
      },
    };
  },
});

function formOf({ to, from, message }: Sms, username: string): URLSearchParams {
  return new URLSearchParams({ username, to, message, ...(from !== null && { from }), bulkSMSMode: '1' });
}

interface Sent {
  SMSMessageData?: { Message?: unknown; Recipients?: Recipient[] };
}

interface Recipient {
  statusCode?: unknown;
  status?: unknown;
  messageId?: unknown;
}

/** A successful HTTP status says nothing about the message. The status code of the recipient does. */
function readSent(answer: ProviderAnswer): { providerMessageId: string | null } {
  const data = readJson<Sent>(answer.text)?.SMSMessageData;
  const recipient = Array.isArray(data?.Recipients) ? data.Recipients[0] : undefined;
  if (typeof recipient?.statusCode === 'number') return readRecipient(recipient, recipient.statusCode, answer);
  const reason = typeof data?.Message === 'string' ? data.Message : null;
  if (answer.status < 200 || answer.status >= 300)
    throw statusFailure(answer, 'africastalking', answer.quote(reason ?? plain(answer.text)));
  if (reason !== null)
    throw new ProviderFailure('rejected', `africastalking rejected the message: ${answer.quote(reason)}`);
  throw new ProviderFailure('ambiguous', 'africastalking answered without the status of the message');
}

function readRecipient(
  { status, messageId }: Recipient,
  code: number,
  { quote }: ProviderAnswer,
): { providerMessageId: string | null } {
  // Processed, sent, queued.
  if (code >= 100 && code <= 102)
    return { providerMessageId: typeof messageId === 'string' && messageId !== 'None' ? messageId : null };
  const kind: ProviderFailureKind = code === 500 || code === 501 ? 'transient' : 'rejected';
  throw new ProviderFailure(kind, `africastalking rejected the message: ${quote(String(status))} (${code})`);
}

/** The errors of the service are sentences. A proxy in front of it answers with HTML pages, which are left out. */
function plain(text: string): string {
  return text.includes('<') ? '' : text.slice(0, 500);
}
