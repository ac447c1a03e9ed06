import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createOperatorAuth,
  GUESSES,
  type Logger,
  listen,
  type Metrics,
  type OperatorAuth,
  type OperatorCredentials,
  within,
} from '@jobline/runtime';

export interface HealthOptions {
  /** 0 means any free port. */
  port: number;
  host: string;
  /** Returns why the worker takes no jobs now. Empty if it takes jobs. */
  problems(): Promise<string[]>;
  metrics: Metrics;
  /** If it is absent, /metrics does not exist. */
  operator: OperatorCredentials | undefined;
  log: Logger;
}

export interface HealthServer {
  port: number;
  close(): Promise<void>;
}

type Own = HealthOptions & { auth: OperatorAuth | undefined };

interface Answer {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

const READY_WITHIN_MS = 2_000;
/** Requests have no body, so they need little time. */
const REQUEST_LIMIT_MS = 10_000;

/** Serves the health of the worker over HTTP: /healthz, /readyz and, for operators, /metrics. */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const { operator } = options;
  const own = { ...options, auth: operator && createOperatorAuth(operator) };
  const server = createServer((req, res) => void respond(own, req, res));
  server.requestTimeout = REQUEST_LIMIT_MS;
  server.headersTimeout = REQUEST_LIMIT_MS;
  const { host } = options;
  const port = await listen(server, { host, port: options.port, setting: 'WORKER_PORT' });
  options.log.info('listening', { host, port });
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Never rejects. */
async function respond(options: Own, req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    send(req, res, await answer(options, req));
  } catch (error) {
    options.log.error('request failed', { path: req.url?.split('?', 1)[0], error });
    send(req, res, errorResponse(500, 'internal', 'Internal error; see the log of the worker.'));
  }
}

async function answer(options: Own, { method, url = '', headers, socket }: IncomingMessage): Promise<Answer> {
  const [path = ''] = url.split('?', 1);
  const run = { '/healthz': alive, '/readyz': ready, ...(options.auth && { '/metrics': serveMetrics }) }[path];
  if (!run) return errorResponse(404, 'not_found', 'Not found.');
  if (method !== 'GET' && method !== 'HEAD') {
    return {
      ...errorResponse(405, 'method_not_allowed', 'Method not allowed; use GET or HEAD.'),
      headers: { Allow: 'GET, HEAD' },
    };
  }
  return run(options, headers.authorization, socket.remoteAddress);
}

async function alive(): Promise<Answer> {
  return { status: 200, body: { status: 'alive' } };
}

async function ready({ problems }: HealthOptions): Promise<Answer> {
  const found = await within(READY_WITHIN_MS, problems(), () => ['Postgres or Redis did not answer in time']);
  if (found.length === 0) return { status: 200, body: { status: 'ready' } };
  return errorResponse(503, 'unavailable', `This worker takes no jobs: ${found.join('; ')}.`);
}

async function serveMetrics({ metrics, auth }: Own, authorization?: string, address = 'unknown'): Promise<Answer> {
  const found = auth?.verify(authorization, address);
  if (found === 'locked') {
    return {
      ...errorResponse(429, 'rate_limited', 'Too many failed logins from this address; try again in a minute.'),
      headers: { 'Retry-After': String(GUESSES.keptMs / 1_000) },
    };
  }
  if (found !== 'granted') {
    return {
      ...errorResponse(401, 'unauthenticated', 'The user name and password of the operator are required.'),
      headers: { 'WWW-Authenticate': 'Basic realm="Jobline operators", charset="UTF-8"' },
    };
  }
  return { status: 200, body: await metrics.text(), headers: { 'Content-Type': metrics.contentType } };
}

function errorResponse(status: number, code: string, message: string): Answer {
  return { status, body: { error: { code, message } } };
}

function send(req: IncomingMessage, res: ServerResponse, { status, body, headers = {} }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  res.end(req.method === 'HEAD' ? undefined : text);
}
