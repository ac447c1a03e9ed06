import type { ProviderFailure } from '@jobline/handlers/errors';
import { addressKey, asciiAddress, type Email, type EmailProvider } from '@jobline/handlers/ports';
import { type Logger, siblingId } from '@jobline/runtime';
import type sharedService from '@sendgrid/mail';
import Joi from 'joi';
import { connectionFailure, statusFailure, timeoutFailure, withoutSecrets } from '../call-provider.js';
import { baseUrlSetting, defineProvider, secretSetting, timeoutSetting } from '../define-provider.js';
import { MESSAGE_ID_ARG, TO_ID_ARG } from '../feedback/sendgrid.js';
import { encodeHeader } from './header-lines.js';
import { addressSetting, splitAddress } from './named-address.js';

interface Settings {
  EMAIL_API_KEY: string;
  EMAIL_BASE_URL: string;
  EMAIL_DEFAULT_FROM?: string;
  EMAIL_TIMEOUT_MS: number;
}

const MAX_ANSWER_BYTES = 1024 * 1024;

/** SendGrid's Web API. It does not detect repeated requests, so a message may be sent twice if an answer is lost. */
export const sendgrid = defineProvider<Settings, EmailProvider>({
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
    acceptsInPart: false,
    acceptsEmptyAttachments: false,
    async send(email, signal) {
      signal.throwIfAborted();
      try {
        const mailer = await createMailer(settings, signal);
        const [answer] = await mailer.send(await mailOf(email));
        return { providerMessageId: headerOf(answer.headers, 'x-message-id') ?? null };
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error, settings, log);
      }
    },
  }),
});

type Mailer = typeof sharedService;

/**
 * Creates a mailer for one message: a signal can only be set for the whole client. Opens no connection. SendGrid's
 * libraries are loaded with the first message.
 */
async function createMailer(
  { EMAIL_API_KEY, EMAIL_BASE_URL, EMAIL_TIMEOUT_MS }: Settings,
  signal: AbortSignal,
): Promise<Mailer> {
  const { default: oneClient } = await import('@sendgrid/client');
  const { default: oneMailer } = await import('@sendgrid/mail');
  // The packages export an instance each, and TypeScript cannot import their classes. The casts: an instance has the
  // type of its own class.
  const client = new (oneClient.constructor as new () => typeof oneClient)();
  const mailer = new (oneMailer.constructor as new () => Mailer)();
  // setApiKey is not used: it resets the base URL to the live service and writes to the console.
  client.setDefaultHeader('Authorization', `Bearer ${EMAIL_API_KEY}`);
  const request = {
    url: '',
    baseUrl: EMAIL_BASE_URL,
    timeout: EMAIL_TIMEOUT_MS,
    signal,
    // The key must be sent only to the configured address.
    maxRedirects: 0,
    proxy: false,
    maxContentLength: MAX_ANSWER_BYTES,
  };
  client.setDefaultRequest(request);
  mailer.setClient(client);
  return mailer;
}

/** SendGrid sends an email to each recipient, with the headers of this one. */
async function mailOf({ id, to, copies = [], from, subject, content: { html, text }, ...email }: Email) {
  const list = (kind: 'cc' | 'bcc') => {
    const some = copies.filter((copy) => copy.kind === kind).map((copy) => named(copy.to));
    return some.length > 0 ? { [kind]: some } : {};
  };
  const headers = await Promise.all(
    Object.entries(email.headers ?? {}).map(async ([name, value]) => [name, await encodeHeader(value)] as const),
  );
  return {
    to: named(to),
    ...list('cc'),
    ...list('bcc'),
    from: named(from),
    ...(email.replyTo && { replyTo: named(email.replyTo) }),
    subject,
    // SendGrid accepts no empty part. One of them is not empty.
    ...(text ? { text, ...(html && { html }) } : { html: html ?? '' }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(email.attachments?.length && {
      attachments: email.attachments.map(({ filename, contentType, contentId, bytes }) => ({
        filename,
        type: contentType,
        content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
        disposition: contentId === null ? 'attachment' : 'inline',
        ...(contentId !== null && { content_id: contentId }),
      })),
    }),
    customArgs: { [MESSAGE_ID_ARG]: id, ...(copies.length > 0 && { [TO_ID_ARG]: siblingId(id, addressKey(to)) }) },
  } satisfies Parameters<Mailer['send']>[0];
}

function named(text: string): { email: string; name: string } {
  const { name, address } = splitAddress(text);
  return { email: asciiAddress(address), name };
}

interface Answer {
  status: number;
  headers: object;
  body: unknown;
}

/** Leaves out the cause: axios keeps the request with the API key in it. */
function failureOf(
  error: unknown,
  { EMAIL_API_KEY, EMAIL_BASE_URL, EMAIL_TIMEOUT_MS }: Settings,
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
