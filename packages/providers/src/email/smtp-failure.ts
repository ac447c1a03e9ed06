import { ProviderFailure } from '@jobline/handlers/errors';
import type { Logger } from '@jobline/runtime';
import { withoutSecrets } from '../http/call-provider.js';
import type { SmtpServer } from './smtp-server.js';

/** The server ended the conversation without a reply. The message is our own, so tenants may read it. */
export class NoReply extends Error {}

/** The errors that nodemailer finds before it calls the server. A retry fails in the same way. */
const FINAL_ERRORS: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE', 'EAUTH']);
/** The errors about the message itself. Their texts name neither a host nor an address. */
const MESSAGE_ERRORS: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE']);

/**
 * Turns an error of a delivery into a failure that tenants may read. The server is configured by the operator: its
 * host, and the texts of sockets and TLS, which name it, go only to the log.
 */
export function smtpFailure(
  error: unknown,
  { host, port, auth }: SmtpServer,
  { hasStarted, log }: { hasStarted: boolean; log: Logger },
): ProviderFailure {
  const { responseCode, response, code, message } =
    error instanceof Error ? replyOf(error) : replyOf(new Error('unknown'));
  const fields = { host, port, responseCode, code };
  if (responseCode !== null) {
    log.warn('a mail server rejected a message', fields);
    const words = withoutSecrets(response ?? String(responseCode), [
      ...secretsOf(auth),
      ...(host.includes('.') ? [host] : []),
    ]);
    return new ProviderFailure(responseCode >= 500 ? 'rejected' : 'transient', `smtp answered: ${words}`);
  }
  const isSafeToShow = error instanceof NoReply || MESSAGE_ERRORS.has(code);
  const reason = withoutSecrets(message, secretsOf(auth));
  log.warn('a mail server did not accept a message', { ...fields, ...(!isSafeToShow && { reason }) });
  const words = isSafeToShow ? message : withoutHost(message, code);
  if (hasStarted)
    return new ProviderFailure('ambiguous', `smtp did not confirm whether it accepted the message: ${words}`);
  return new ProviderFailure(
    FINAL_ERRORS.has(code) ? 'rejected' : 'transient',
    `the message could not be passed to smtp: ${words}`,
  );
}

/** The text of a socket or TLS error without the hosts and addresses that it names. */
function withoutHost(message: string, code: string | null): string {
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

/** The secrets in every form in which they are sent. */
function secretsOf(auth: SmtpServer['auth']): string[] {
  if (!auth) return [];
  const { user, pass } = auth;
  return [pass, base64(pass), base64(`\0${user}\0${pass}`)];
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
