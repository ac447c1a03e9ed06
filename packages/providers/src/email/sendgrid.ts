import type { ProviderFailure } from '@jobline/handlers/errors';
import type { Email, EmailProvider } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';
import Joi from 'joi';
import { defineProvider } from '../define-provider.js';
import { MESSAGE_ID_ARG } from '../feedback/sendgrid.js';
import { connectionFailure, statusFailure, timeoutFailure, withoutSecrets } from '../http/call-provider.js';
import { baseUrlSetting, secretSetting, timeoutSetting } from '../settings.js';
import { contentOf } from './content.js';
import { addressSetting, splitAddress } from './named-address.js';
import type { SendgridMail, SendgridSettings } from './sendgrid-mailer.js';

/** SendGrid's Web API. It does not detect repeated requests, so a message may be sent twice if an answer is lost. */
export const sendgrid = defineProvider<SendgridSettings, EmailProvider>({
  name: 'sendgrid',
  settings: Joi.object({
    EMAIL_API_KEY: secretSetting.required(),
    EMAIL_BASE_URL: baseUrlSetting.default('https://api.sendgrid.com'),
    EMAIL_DEFAULT_FROM: addressSetting,
    EMAIL_TIMEOUT_MS: timeoutSetting,
  }),
  create: (settings, { log }) => ({
    provider: 'sendgrid',
    defaultFrom: settings.EMAIL_DEFAULT_FROM ?? null,
    async send(email, signal) {
      signal.throwIfAborted();
      try {
        // SendGrid's libraries are loaded with the first message.
        const { createMailer } = await import('./sendgrid-mailer.js');
        const [answer] = await createMailer(settings, signal).send(mailOf(email));
        return { providerMessageId: headerOf(answer.headers, 'x-message-id') ?? null };
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error, settings, log);
      }
    },
  }),
});

function mailOf({ id, to, from, subject, body, isPlainText }: Email): SendgridMail {
  const { name, address } = splitAddress(from);
  return {
    to: { email: to, name: '' },
    from: { email: address, name },
    subject,
    ...contentOf(body, isPlainText),
    customArgs: { [MESSAGE_ID_ARG]: id },
  };
}

interface Answer {
  status: number;
  headers: object;
  body: unknown;
}

/** Leaves out the cause: axios keeps the request with the API key in it. */
function failureOf(
  error: unknown,
  { EMAIL_API_KEY, EMAIL_BASE_URL, EMAIL_TIMEOUT_MS }: SendgridSettings,
  log: Logger,
): ProviderFailure {
  const { host } = new URL(EMAIL_BASE_URL);
  const answer = answerOf(error);
  if (!answer) {
    const isLate = error instanceof Error && 'code' in error && error.code === 'ECONNABORTED';
    const called = { who: 'sendgrid', log };
    return isLate ? timeoutFailure(called, host, EMAIL_TIMEOUT_MS) : connectionFailure(called, host, error);
  }
  const { status, headers } = answer;
  const words = withoutSecrets(wordsOf(answer.body), [EMAIL_API_KEY]);
  return statusFailure({ status, headers: { 'retry-after': retryAfterOf(headers) } }, 'sendgrid', words);
}

/**
 * Returns the response that an error contains. SendGrid's client stores the status in the error's `code`. For a redirect
 * the error comes from axios, which stores the status in the response. Null: the error contains no error response.
 */
function answerOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('response' in error)) return null;
  // The cast: both kinds of error have a response of this form.
  const response = error.response as { headers?: object; body?: unknown; status?: number } | undefined;
  const status = response?.status ?? ('code' in error ? Number(error.code) : Number.NaN);
  return response && status >= 300 ? { status, headers: response.headers ?? {}, body: response.body } : null;
}

/** Reads `{"errors": [{"message", "field"}]}`. Empty if there is nothing to quote. */
function wordsOf(body: unknown): string {
  const errors: unknown = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : [];
  if (!Array.isArray(errors)) return '';
  return errors
    .flatMap((error: { message?: unknown; field?: unknown } | null) => {
      if (typeof error?.message !== 'string') return [];
      return typeof error.field === 'string' ? `${error.field}: ${error.message}` : error.message;
    })
    .join('; ');
}

/** SendGrid names the time when its limit resets. A proxy in front of it may send Retry-After. */
function retryAfterOf(headers: object): string {
  const resetS = Number(headerOf(headers, 'x-ratelimit-reset'));
  return headerOf(headers, 'retry-after') ?? String(Math.ceil(resetS - Date.now() / 1000));
}

function headerOf(headers: object, name: string): string | undefined {
  const value: unknown = Reflect.get(headers, name);
  return typeof value === 'string' ? value : undefined;
}
