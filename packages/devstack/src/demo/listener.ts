import { once } from 'node:events';
import { createServer } from 'node:http';
import { makePhoto } from './sample-photo.js';

export interface Received {
  path: string;
  webhookId: string;
  /** What it was answered. */
  status: number;
}

/** A receiver of webhooks on this machine, for the demo and for trying things out. */
export interface Listener {
  /** `host:port`, as OUTBOUND_ALLOW_HOSTS wants it. */
  host: string;
  url: string;
  received(path: string): Received[];
  close(): void;
}

const REMEMBERED = 1_000;

/** Where the listener has a picture. */
export const PHOTO_PATH = '/photo.png';

/** Answers 200, except under /flaky/: there the first two requests of a path get a 500. Has a photo to fetch. */
export async function startListener(onReceived: (received: Received) => void): Promise<Listener> {
  const log: Received[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === PHOTO_PATH) return void response.writeHead(200, { 'content-type': 'image/png' }).end(makePhoto());
    const earlier = log.filter((entry) => entry.path === path).length;
    const status = path.startsWith('/flaky/') && earlier < 2 ? 500 : 200;
    const received = { path, webhookId: String(request.headers['webhook-id'] ?? ''), status };
    log.push(received);
    if (log.length > REMEMBERED) log.shift();
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? { received: true } : { error: 'not yet, try again' }));
    onReceived(received);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  const host = `127.0.0.1:${address.port}`;
  return {
    host,
    url: `http://${host}`,
    received: (path) => log.filter((entry) => entry.path === path),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
