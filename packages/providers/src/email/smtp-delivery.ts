import { Readable } from 'node:stream';
import { type Logger, within } from '@jobline/runtime';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { rejectOnAbort } from '../reject-on-abort.js';
import { NoReply, smtpFailure } from './smtp-failure.js';
import type { SmtpServer } from './smtp-server.js';

export interface SmtpMessage {
  envelope: { from: string; to: string[] };
  bytes: Buffer;
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
): Promise<{ serverMessageId?: string | undefined }> {
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
    return info;
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
): Promise<{ serverMessageId?: string | undefined }> {
  return new Promise((resolve, reject) => {
    // The listener stays: an error after the end of the conversation must not become an unhandled event.
    connection.on('error', reject);
    connection.on('end', () => reject(new NoReply('it closed the connection')));
    const send = () =>
      connection.send({ ...envelope, size: bytes.length }, content, (error, info) =>
        info ? resolve(info) : reject(error),
      );
    connection.connect((error) => {
      if (error) reject(error);
      else if (auth) connection.login(auth, (loginError) => (loginError ? reject(loginError) : send()));
      else send();
    });
  });
}
