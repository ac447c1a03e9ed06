import { ProviderFailure } from '@jobline/handlers/errors';
import type { Logger } from '@jobline/runtime';
import { withoutSecrets } from '../http/call-provider.js';
import type { SmtpServer } from './smtp-delivery.js';

/** No reply told what became of it; the message is our own. */
export class Lost extends Error {}

/** What nodemailer finds out by itself, before the server is asked: no other time will change it. */
const HOPELESS: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE', 'EAUTH']);
/** Of those, what is wrong with the message itself: nodemailer's words name nothing else. */
const OF_THE_MESSAGE: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE']);

/**
 * What an error of a delivery means, in words for tenants. The server is the operator's: its host is said in the log alone,
 * and so are the words of sockets and TLS, which name it.
 */
export function smtpFailure(
  error: unknown,
  { host, port, auth }: SmtpServer,
  { isTaking, log }: { isTaking: boolean; log: Logger },
): ProviderFailure {
  const { responseCode, response, code, message } =
    error instanceof Error ? replyOf(error) : replyOf(new Error('unknown'));
  const about = { host, port, responseCode, code };
  if (responseCode !== null) {
    log.warn('a mail server refused a message', about);
    const words = withoutSecrets(response ?? String(responseCode), [
      ...secretsOf(auth),
      ...(host.includes('.') ? [host] : []),
    ]);
    return new ProviderFailure(responseCode >= 500 ? 'rejected' : 'transient', `smtp answered: ${words}`);
  }
  const isTellable = error instanceof Lost || OF_THE_MESSAGE.has(code);
  const reason = withoutSecrets(message, secretsOf(auth));
  log.warn('a mail server did not take a message', { ...about, ...(!isTellable && { reason }) });
  const words = isTellable ? message : withoutPlace(message, code);
  if (isTaking) return new ProviderFailure('ambiguous', `smtp did not say whether it took the message: ${words}`);
  return new ProviderFailure(
    HOPELESS.has(code) ? 'rejected' : 'transient',
    `smtp could not be given the message: ${words}`,
  );
}

/** What a socket or TLS said, without the hosts and addresses that it names. */
function withoutPlace(message: string, code: string | null): string {
  if (/certificate|altnames/i.test(message)) return 'its certificate is not trusted';
  return /\bE[A-Z]{3,20}\b/.exec(message)?.[0] ?? code ?? 'the connection failed';
}

function replyOf(error: Error & { responseCode?: unknown; response?: unknown; code?: unknown }) {
  return {
    responseCode: typeof error.responseCode === 'number' ? error.responseCode : null,
    response: typeof error.response === 'string' ? error.response : null,
    code: typeof error.code === 'string' ? error.code : null,
    message: error.message,
  };
}

/** In every form in which they were sent. */
function secretsOf(auth: SmtpServer['auth']): string[] {
  if (!auth) return [];
  const { user, pass } = auth;
  return [pass, base64(pass), base64(`\0${user}\0${pass}`)];
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
