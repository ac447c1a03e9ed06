import { createServer, type IncomingHttpHeaders } from 'node:http';
import { start } from './receivers.js';

export interface HttpAnswer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | object;
}

/**
 * The behavior for requests: send an answer, send half of one and close the connection, close it immediately, or send
 * nothing.
 */
export type HttpBehavior = HttpAnswer | { half: HttpAnswer } | 'cut' | 'silence';

export interface HttpRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A local server in place of a provider, below a path. `closeAll` ends it. */
export async function httpStandIn(behavior: HttpBehavior) {
  const standIn = {
    url: '',
    requests: [] as HttpRequest[],
    behavior,
    /** Stops listening, so that connections are refused. */
    leave: async () => undefined as unknown,
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    standIn.requests.push({ method, url, headers, body });
    const { behavior } = standIn;
    if (behavior === 'silence') return;
    if (behavior === 'cut') return void request.socket.destroy();
    const answer = 'half' in behavior ? behavior.half : behavior;
    const text = typeof answer.body === 'object' ? JSON.stringify(answer.body) : (answer.body ?? '');
    const type = typeof answer.body === 'object' ? 'application/json' : 'text/plain';
    response.writeHead(answer.status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      ...answer.headers,
    });
    if (!('half' in behavior)) return void response.end(text);
    response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
  });
  standIn.url = `http://127.0.0.1:${await start(server)}/some/base`;
  standIn.leave = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return standIn;
}
