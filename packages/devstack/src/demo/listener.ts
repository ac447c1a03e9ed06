import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

export interface Received {
  path: string;
  webhookId: string;
  /** The status of the answer. */
  status: number;
}

/** A receiver of webhooks on this machine, for the demo and for experiments. */
export interface Listener {
  /** `host:port`, the format of OUTBOUND_ALLOW_HOSTS. */
  host: string;
  url: string;
  received(path: string): Received[];
  close(): void;
}

const MAX_REMEMBERED = 1_000;
const PHOTO = new URL('../../assets/sample-photo.jpg', import.meta.url);
export const PHOTO_PATH = '/photo.jpg';

/** Answers 200, but 500 to the first two requests for a path below /flaky/. Serves a sample photo. */
export async function startListener(report: (line: string) => void): Promise<Listener> {
  const log: Received[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === PHOTO_PATH)
      return void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(readFileSync(PHOTO));
    const earlier = log.filter((entry) => entry.path === path).length;
    const status = path.startsWith('/flaky/') && earlier < 2 ? 500 : 200;
    const webhookId = String(request.headers['webhook-id'] ?? '');
    log.push({ path, webhookId, status });
    if (log.length > MAX_REMEMBERED) log.shift();
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? { received: true } : { error: 'not yet, try again' }));
    report(`The listener received ${path}, webhook-id ${webhookId}, and answered ${status}.`);
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
