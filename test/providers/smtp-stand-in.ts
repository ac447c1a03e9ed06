import type { Readable } from 'node:stream';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './localhost-certificate.js';
import { start } from './receivers.js';

export interface ReceivedMail {
  envelope: { from: string; to: string[] };
  mail: Email;
  raw: string;
  /** The user that logged in; null if there was no login. */
  user: string | null;
  isSecure: boolean;
}

/** A mail server that records the messages that it accepts. Login is possible without TLS, too. `closeAll` ends it. */
export async function smtpStandIn(options: SMTPServerOptions = {}) {
  const standIn = {
    port: 0,
    mails: [] as ReceivedMail[],
    /** The commands as they were received. */
    commands: [] as string[],
    /** The number of messages that were offered, counted before a message is read and independent of its acceptance. */
    offered: 0,
    /** The current and the highest number of connections. */
    connections: 0,
    mostConnections: 0,
    /** Called with each message. The result is the error to reply with. Null: the server sends no reply. */
    decide: (): Error | undefined | null => undefined,
    hangUp: () => undefined as unknown,
    leave: () => undefined as unknown,
  };
  async function take(stream: Readable, { envelope, user, secure }: SMTPServerSession) {
    standIn.offered++;
    const raw = Buffer.concat(await stream.toArray());
    const decision = standIn.decide();
    if (decision !== undefined) return decision;
    standIn.mails.push({
      // False if the null sender is possible.
      envelope: {
        from: envelope.mailFrom ? envelope.mailFrom.address : '',
        to: envelope.rcptTo.map(({ address }) => address),
      },
      mail: await PostalMime.parse(raw),
      raw: raw.toString(),
      user: user ? String(user) : null,
      isSecure: secure,
    });
    return undefined;
  }

  const server = new SMTPServer({
    key: LOCALHOST_KEY,
    cert: LOCALHOST_CERTIFICATE,
    authOptional: true,
    allowInsecureAuth: true,
    closeTimeout: 1,
    logger: {
      ...{ trace: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore, level: ignore },
      debug: (_data: unknown, ...[side, line]: unknown[]) =>
        void (side === 'C:' && standIn.commands.push(String(line))),
    },
    onConnect(_session, done) {
      standIn.connections++;
      standIn.mostConnections = Math.max(standIn.mostConnections, standIn.connections);
      done();
    },
    onClose: () => void standIn.connections--,
    onAuth: ({ username = '' }, _session, done) => done(null, { user: username }),
    onData(stream, session, done) {
      take(stream, session).then((rejection) => {
        if (rejection !== null) done(rejection, 'queued as 4711');
      }, done); // an incomplete message
    },
    ...options,
  });
  // Errors of clients are ignored here. The tests check them.
  server.on('error', () => undefined);
  standIn.port = await start(server.server);
  standIn.hangUp = () => {
    for (const connection of server.connections) connection._socket?.destroy();
  };
  standIn.leave = () => new Promise((resolve) => server.close(() => resolve(undefined)));
  return standIn;
}

const ignore = () => undefined;

/** A reply of the server in the form that its callbacks need. */
export function reply(responseCode: number, words: string): Error {
  return Object.assign(new Error(words), { responseCode });
}
