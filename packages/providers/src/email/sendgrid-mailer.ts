import sharedClient from '@sendgrid/client';
import sharedService from '@sendgrid/mail';

// The packages export an instance each, and TypeScript cannot import their classes. The casts: an instance has the type
// of its own class.
const Client = sharedClient.constructor as new () => typeof sharedClient;
const Mailer = sharedService.constructor as new () => typeof sharedService;
type Mailer = typeof sharedService;

export interface SendgridSettings {
  EMAIL_API_KEY: string;
  EMAIL_BASE_URL: string;
  EMAIL_DEFAULT_FROM?: string;
  EMAIL_TIMEOUT_MS: number;
}

export type SendgridMail = Parameters<Mailer['send']>[0];

const MAX_ANSWER_BYTES = 1024 * 1024;

/** Creates a mailer for one message: a signal can only be set for the whole client. Opens no connection. */
export function createMailer(
  { EMAIL_API_KEY, EMAIL_BASE_URL, EMAIL_TIMEOUT_MS }: SendgridSettings,
  signal: AbortSignal,
): Mailer {
  const client = new Client();
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
  const service = new Mailer();
  service.setClient(client);
  return service;
}
