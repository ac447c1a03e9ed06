import { createServer, type IncomingHttpHeaders } from 'node:http';
import { start } from './receivers.js';

export interface HttpAnswer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | object;
}

/** What it does with requests: gives an answer, gives half of one and hangs up, hangs up at once, or says nothing. */
export type HttpBehaviour = HttpAnswer | { half: HttpAnswer } | 'cut' | 'silence';

export interface HttpRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server in a provider's place, below a path of its own. `closeAll` ends it. */
export async function httpStandIn(behaviour: HttpBehaviour) {
  const standIn = {
    url: '',
    requests: [] as HttpRequest[],
    behaviour,
    /** Gives its address up: nobody listens there any more. */
    leave: async () => undefined as unknown,
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    standIn.requests.push({ method, url, headers, body });
    const { behaviour } = standIn;
    if (behaviour === 'silence') return;
    if (behaviour === 'cut') return void request.socket.destroy();
    const answer = 'half' in behaviour ? behaviour.half : behaviour;
    const text = typeof answer.body === 'object' ? JSON.stringify(answer.body) : (answer.body ?? '');
    const type = typeof answer.body === 'object' ? 'application/json' : 'text/plain';
    response.writeHead(answer.status, {
      'content-type': type,
      'content-length': Buffer.byteLength(text),
      ...answer.headers,
    });
    if (!('half' in behaviour)) return void response.end(text);
    response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
  });
  standIn.url = `http://127.0.0.1:${await start(server)}/some/base`;
  standIn.leave = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return standIn;
}

export type HttpStandIn = Awaited<ReturnType<typeof httpStandIn>>;
