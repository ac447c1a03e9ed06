import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy between a client and a service, which can drop responses. */
export interface ServiceProxy {
  /** The service's URL, through the proxy. */
  url: string;
  /**
   * The next request that contains `text` reaches the service and takes effect; the connection is reset before its
   * response arrives. Resolves when that has happened.
   */
  loseAnswerTo(text: string): Promise<void>;
  /** Closes all connections that are open now. */
  cut(): void;
  /** Delays all data, in both directions and of new connections too, until `resume`: as if the network lost every packet. */
  hold(): void;
  resume(): void;
  /** The next request that contains `text` reaches the service, and then `hold` is in effect. Resolves when that has happened. */
  holdAfter(text: string): Promise<void>;
  /** Later connections reach this service. */
  switchTo(serviceUrl: string): void;
  close(): Promise<void>;
}

/** How the responses of a service begin that completed what was requested. */
const COMPLETED = {
  postgres: /(SELECT|INSERT 0|UPDATE|DELETE) \d|COMMIT/,
  http: /^HTTP\/1\.1 /,
};

export async function startProxy(
  serviceUrl: string,
  protocol: keyof typeof COMPLETED = 'postgres',
): Promise<ServiceProxy> {
  let service = new URL(serviceUrl);
  const sockets = new Set<Socket>();
  let isHeld = false;
  let loss: { text: string; done: () => void } | null = null;
  let last: { text: string; done: () => void } | null = null;
  function hold(): void {
    isHeld = true;
    for (const socket of sockets) socket.pause();
  }

  const server = createServer((client) => {
    const upstream = connect(Number(service.port), service.hostname);
    let lost: (() => void) | null = null;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      socket.on('error', () => socket.destroy()); // a reset by either side closes both connections
      if (isHeld) socket.pause();
    }
    client.on('data', (chunk) => {
      if (loss && chunk.includes(loss.text)) {
        lost = loss.done;
        loss = null;
      }
      upstream.write(chunk);
      if (last && chunk.includes(last.text)) {
        hold();
        last.done();
        last = null;
      }
    });
    upstream.on('data', (chunk) => {
      // This response means that the statement was completed and committed.
      if (lost && COMPLETED[protocol].test(chunk.toString('latin1'))) {
        client.resetAndDestroy();
        lost();
      } else if (!lost) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serviceUrl);
  // The cast: a server that listens on a port has such an address.
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    hold,
    resume() {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    switchTo(other) {
      service = new URL(other);
    },
    holdAfter: (text) =>
      new Promise((resolve) => {
        last = { text, done: resolve };
      }),
    loseAnswerTo: (text) =>
      new Promise((resolve) => {
        loss = { text, done: resolve };
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
