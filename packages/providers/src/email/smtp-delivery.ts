import { Readable } from 'node:stream';
import { ProviderFailure } from '@jobline/handlers/errors';
import { type Logger, within } from '@jobline/runtime';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { withoutSecrets } from '../call-provider.js';
import { rejectOnAbort } from '../reject-on-abort.js';

interface SmtpServer {
  host: string;
  port: number;
  tls: 'starttls' | 'tls' | 'none';
  auth: { user: string; pass: string } | null;
}

interface SmtpMessage {
  /** Without the first recipient nothing is sent. The others may be refused. */
  envelope: { from: string; to: string[] };
  bytes: Buffer;
}

interface Delivered {
  serverMessageId?: string | undefined;
  /** The recipients that the server refused. */
  refused: { address: string; failure: ProviderFailure }[];
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Delivers a message over its own connection. Throws ProviderFailure, with the kind `ambiguous` if the transfer had
 * started and the server did not confirm it. Throws the reason of the signal if the signal is aborted.
 */
export async function deliver(
  server: SmtpServer,
  message: SmtpMessage,
  { timeoutMs, signal, log }: { timeoutMs: number; signal: AbortSignal; log: Logger },
): Promise<Delivered> {
  const connection = await connectionTo(server, timeoutMs);
  signal.throwIfAborted();
  const tooLate = () => {
    throw new NoReply(`it did not answer within ${timeoutMs / 1000} s`);
  };
  let hasStarted = false;
  // The stream is read after the server has said that it is ready for the message.
  const content = Readable.from(
    (function* () {
      hasStarted = true;
      yield message.bytes;
    })(),
  );
  try {
    const conversation = converse(connection, server, { ...message, content });
    const info = await within(timeoutMs, rejectOnAbort(signal, conversation), tooLate);
    connection.quit();
    const refused = (info.rejectedErrors ?? []).map((rejection) => {
      return {
        address: rejection.recipient ?? '',
        failure: smtpFailure(rejection, server, { hasStarted: false, log }),
      };
    });
    return { serverMessageId: info.serverMessageId, refused };
  } catch (error) {
    connection.close();
    if (signal.aborted) throw signal.reason;
    throw smtpFailure(error, server, { hasStarted, log });
  }
}

async function connectionTo({ host, port, tls }: SmtpServer, timeoutMs: number): Promise<SmtpConnection> {
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection');
  return new SmtpConnection({
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
  });
}

function converse(
  connection: SmtpConnection,
  { auth }: SmtpServer,
  { envelope, bytes, content }: SmtpMessage & { content: Readable },
): Promise<SmtpConnection.SentMessageInfo> {
  return new Promise((resolve, reject) => {
    // The listener stays: an error after the end of the conversation must not become an unhandled event.
    connection.on('error', reject);
    connection.on('end', () => reject(new NoReply('it closed the connection')));
    const send = () => {
      if (envelope.to.length > 1) requireFirstRecipient(connection);
      connection.send({ ...envelope, size: bytes.length }, content, (error, info) =>
        info ? resolve(info) : reject(error),
      );
    };
    connection.connect((error) => {
      if (error) reject(error);
      else if (auth) connection.login(auth, (loginError) => (loginError ? reject(loginError) : send()));
      else send();
    });
  });
}

/** The parts of a connection that its types hide. */
interface Internals {
  _supportedExtensions: string[];
  _envelope: { to: string[]; rejectedErrors: (Error & { recipient?: string })[] };
  /** Called once every recipient has been answered. An error ends the conversation before DATA. */
  _envelopeError(reply: string): Error | null;
}

/**
 * Without PIPELINING, DATA is sent only after the answers to all recipients. With it, a server that refuses the first one would
 * already wait for the message to the others.
 */
function requireFirstRecipient(connection: SmtpConnection): void {
  // The cast: the tests of refused recipients fail if nodemailer changes these parts.
  const internals = connection as unknown as Internals;
  internals._supportedExtensions = internals._supportedExtensions.filter((name) => name !== 'PIPELINING');
  const { _envelopeError: usual } = internals;
  internals._envelopeError = (reply) => {
    const { to, rejectedErrors } = internals._envelope;
    return rejectedErrors.find(({ recipient }) => recipient === to[0]) ?? usual.call(connection, reply);
  };
}

/** The server ended the conversation without a reply. The message is our own, so tenants may read it. */
class NoReply extends Error {}

/** The errors that nodemailer finds before it calls the server. A retry fails in the same way. */
const FINAL_ERRORS: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE', 'EAUTH']);
/** The errors about the message itself. Their texts name neither a host nor an address. */
const MESSAGE_ERRORS: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE']);

/**
 * Turns an error of a delivery into a failure that tenants may read. The server is configured by the operator: its
 * host, and the texts of sockets and TLS, which name it, go only to the log.
 */
function smtpFailure(
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
