import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that arrived. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  at: number;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  delayMs?: number;
}

/** Called with each request and its number. */
export type Replies = (request: Received, n: number) => Reply | Promise<Reply>;

export interface Receiver {
  url: string;
  /** `host:port`, in the form of OUTBOUND_ALLOW_HOSTS. */
  host: string;
  received: Received[];
  close(): Promise<void>;
}

/** Where a receiver listens, and the address in its URL. */
export interface ReceiverAddress {
  listensOn: string;
  address: string;
}

const LOCAL: ReceiverAddress = { listensOn: '127.0.0.1', address: '127.0.0.1' };

/** A local server for webhooks. `reply` decides its responses. */
export async function startReceiver(reply: Replies = () => ({}), at = LOCAL): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    let text = '';
    for await (const chunk of req.setEncoding('utf8')) text += chunk;
    const { method = '', url: path = '' } = req;
    const request = { method, path, headers: req.headers, text, at: Date.now() };
    received.push(request);
    const { status = 200, headers = {}, body = '', delayMs = 0 } = await reply(request, received.length);
    setTimeout(() => res.writeHead(status, headers).end(body), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, at.listensOn, resolve));
  // The cast: a server that listens on a port has such an address.
  const host = `${at.address}:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
