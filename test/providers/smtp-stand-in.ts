import type { Readable } from 'node:stream';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './localhost-certificate.js';
import { start } from './receivers.js';

export interface ReceivedMail {
  envelope: { from: string; to: string[] };
  mail: Email;
  raw: string;
  /** Who had signed in; null: nobody. */
  user: string | null;
  isSecure: boolean;
}

/** A mail server, which keeps what it takes. Signing in is possible before TLS too. `closeAll` ends it. */
export async function smtpStandIn(options: SMTPServerOptions = {}) {
  const standIn = {
    port: 0,
    mails: [] as ReceivedMail[],
    /** How many messages it was offered: before it reads one, and whether it takes it or not. */
    offered: 0,
    /** How many connections it has, and had at most. */
    connections: 0,
    mostConnections: 0,
    /** Called when a message is there; what it returns is the refusal. Null: the server says nothing any more. */
    judge: (): Error | undefined | null => undefined,
    hangUp: () => undefined as unknown,
    leave: () => undefined as unknown,
  };
  async function take(stream: Readable, { envelope, user, secure }: SMTPServerSession) {
    standIn.offered++;
    const raw = Buffer.concat(await stream.toArray());
    const verdict = standIn.judge();
    if (verdict !== undefined) return verdict;
    standIn.mails.push({
      // False where the null sender may stand.
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
    onConnect(_session, done) {
      standIn.connections++;
      standIn.mostConnections = Math.max(standIn.mostConnections, standIn.connections);
      done();
    },
    onClose: () => void standIn.connections--,
    onAuth: ({ username = '' }, _session, done) => done(null, { user: username }),
    onData(stream, session, done) {
      take(stream, session).then((refusal) => {
        if (refusal !== null) done(refusal, 'queued as 4711');
      }, done); // a message that is broken off
    },
    ...options,
  });
  // What a client does badly is the client's business, and the tests look at that.
  server.on('error', () => undefined);
  standIn.port = await start(server.server);
  standIn.hangUp = () => {
    for (const connection of server.connections) connection._socket?.destroy();
  };
  standIn.leave = () => new Promise((resolve) => server.close(() => resolve(undefined)));
  return standIn;
}

/** A reply of the server's, as its callbacks want it. */
export function reply(responseCode: number, words: string): Error {
  return Object.assign(new Error(words), { responseCode });
}
