import { Readable } from 'node:stream';
import type { Logger } from '@jobline/runtime';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { Lost, smtpFailure } from './smtp-failure.js';

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
  { timeoutMs, signal, log }: { timeoutMs: number; signal: AbortSignal; log: Logger },
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
    throw smtpFailure(error, server, { isTaking, log });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
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
