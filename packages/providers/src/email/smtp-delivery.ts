import { Readable } from 'node:stream';
import { ProviderFailure } from '@jobline/handlers/errors';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { withoutSecrets } from '../http/call-provider.js';

export interface SmtpServer {
  host: string;
  port: number;
  tls: 'starttls' | 'tls' | 'none';
  auth: { user: string; pass: string } | null;
}

export interface SmtpMessage {
  envelope: { from: string; to: string[] };
  bytes: Buffer;
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Hands a message to a server over a connection of its own. Throws ProviderFailure, `ambiguous` when the server had begun
 * to take the message and never said whether it did, and the signal's reason when that fired.
 */
export async function deliver(
  server: SmtpServer,
  message: SmtpMessage,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ serverMessageId?: string | undefined }> {
  const connection = await connectionTo(server, timeoutMs);
  signal.throwIfAborted();
  const ending = new AbortController();
  const giveUp = () => ending.abort(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(() => ending.abort(new Lost(`it did not answer within ${timeoutMs / 1000} s`)), timeoutMs);
  let isTaking = false;
  // Read from when the server has said that it waits for the message.
  const content = Readable.from(
    (function* () {
      isTaking = true;
      yield message.bytes;
    })(),
  );
  try {
    const info = await converse(connection, server, { ...message, content }, ending.signal);
    connection.quit();
    return info;
  } catch (error) {
    connection.close();
    if (signal.aborted) throw signal.reason;
    throw failureOf(error, server, isTaking);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/** No reply told what became of it. */
class Lost extends Error {}

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
  signal: AbortSignal,
): Promise<{ serverMessageId?: string | undefined }> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    // For good: what comes after the end of the conversation is nobody's failure any more.
    connection.on('error', reject);
    connection.on('end', () => reject(new Lost('it closed the connection')));
    const send = () =>
      connection.send({ ...envelope, size: bytes.length }, content, (error, info) =>
        info ? resolve(info) : reject(error),
      );
    connection.connect((error) => {
      if (error) reject(error);
      else if (auth) connection.login(auth, (refused) => (refused ? reject(refused) : send()));
      else send();
    });
  });
}

/** What nodemailer finds out by itself, before the server is asked: no other time will change it. */
const HOPELESS: ReadonlySet<unknown> = new Set(['EMESSAGE', 'EENVELOPE', 'EAUTH']);

function failureOf(error: unknown, { host, port, auth }: SmtpServer, isTaking: boolean): ProviderFailure {
  const { responseCode, response, code, message } =
    error instanceof Error ? replyOf(error) : replyOf(new Error('unknown'));
  const who = `the mail server ${host}:${port}`;
  if (responseCode !== null) {
    const kind = responseCode >= 500 ? 'rejected' : 'transient';
    return new ProviderFailure(
      kind,
      `${who} answered: ${withoutSecrets(response ?? String(responseCode), secretsOf(auth))}`,
    );
  }
  const words = error instanceof Lost ? message : `${message}${code === null ? '' : ` (${code})`}`;
  if (isTaking) return new ProviderFailure('ambiguous', `${who} did not say whether it took the message: ${words}`);
  return new ProviderFailure(
    HOPELESS.has(code) ? 'rejected' : 'transient',
    `${who} could not be given the message: ${words}`,
  );
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
