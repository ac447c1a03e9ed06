import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { EVENTS_QUEUE } from '@jobline/handlers';
import { chromiumProblem } from '@jobline/providers';
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
import { type Config, chosenChromium } from './config.js';

interface HealthOptions {
  /** 0 means any free port. */
  port: number;
  host: string;
  /** Returns why the worker cannot do its jobs now. Empty if it can. */
  problems(): Promise<string[]>;
  metrics: Metrics;
  /** If it is absent, /metrics does not exist. */
  operator: OperatorCredentials | undefined;
  log: Logger;
}

interface HealthServer {
  port: number;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

const READY_WITHIN_MS = 2_000;
/** Requests have no body, so they need little time. */
const REQUEST_LIMIT_MS = 10_000;

type Routes = Readonly<Record<string, (req: IncomingMessage) => Promise<Answer>>>;

/** Serves the health of the worker over HTTP: /healthz, /readyz and, for operators, /metrics. */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const { host, problems, metrics, operator, log } = options;
  const auth = operator && createOperatorAuth(operator);
  const routes: Routes = {
    '/healthz': async () => ({ status: 200, body: { status: 'alive' } }),
    '/readyz': () => ready(problems),
    ...(auth && { '/metrics': (req) => serveMetrics(metrics, auth, req) }),
  };
  const server = createServer((req, res) => void respond(routes, log, req, res));
  server.requestTimeout = REQUEST_LIMIT_MS;
  server.headersTimeout = REQUEST_LIMIT_MS;
  const port = await listen(server, { host, port: options.port, setting: 'WORKER_PORT' });
  log.info('listening', { host, port });
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
async function respond(routes: Routes, log: Logger, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [path = ''] = (req.url ?? '').split('?', 1);
  try {
    send(req, res, await answer(routes[path], req));
  } catch (error) {
    log.error('request failed', { path, error });
    send(req, res, errorResponse(500, 'internal', 'Internal error; see the log of the worker.'));
  }
}

async function answer(route: Routes[string] | undefined, req: IncomingMessage): Promise<Answer> {
  if (!route) return errorResponse(404, 'not_found', 'Not found.');
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    const allowed = { Allow: 'GET, HEAD' };
    return errorResponse(405, 'method_not_allowed', 'Method not allowed; use GET or HEAD.', allowed);
  }
  return route(req);
}

async function ready(problems: HealthOptions['problems']): Promise<Answer> {
  const found = await within(READY_WITHIN_MS, problems(), () => ['Postgres or Redis did not answer in time']);
  if (found.length === 0) return { status: 200, body: { status: 'ready' } };
  return errorResponse(503, 'unavailable', `This worker is not ready: ${found.join('; ')}.`);
}

async function serveMetrics(metrics: Metrics, auth: OperatorAuth, req: IncomingMessage): Promise<Answer> {
  const found = auth.verify(req.headers.authorization, req.socket.remoteAddress ?? 'unknown');
  if (found === 'locked') {
    const again = { 'Retry-After': String(GUESSES.keptMs / 1_000) };
    return errorResponse(
      429,
      'rate_limited',
      'Too many failed logins from this address; try again in a minute.',
      again,
    );
  }
  if (found !== 'granted') {
    const challenge = { 'WWW-Authenticate': 'Basic realm="Jobline operators", charset="UTF-8"' };
    return errorResponse(401, 'unauthenticated', 'The user name and password of the operator are required.', challenge);
  }
  return { status: 200, body: await metrics.text(), headers: { 'Content-Type': metrics.contentType } };
}

function errorResponse(status: number, code: string, message: string, headers: Answer['headers'] = {}): Answer {
  return { status, body: { error: { code, message } }, headers };
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

interface BrowserCheck {
  /**
   * Starts the browser, if this worker takes jobs that need one. Logs a warning if this fails, and tries again every
   * minute until it succeeds.
   */
  run(): Promise<void>;
  /** Why this worker can do nothing but deliver events; null if it can, or if the check has not failed. */
  problem(): string | null;
}

const CHECK_BROWSER_AGAIN_MS = 60_000;

export function createBrowserCheck(config: Config, log: Logger): BrowserCheck {
  const queues = config.WORKER_QUEUES;
  let problem: string | null = null;

  async function run(): Promise<void> {
    if (!queues.has('browser')) return;
    const before = problem;
    problem = await findProblem(config, log);
    if (problem && problem !== before) log.warn(problem);
    if (problem) setTimeout(run, CHECK_BROWSER_AGAIN_MS).unref();
  }

  const isForPages = [...queues.keys()].every((queue) => queue === 'browser' || queue === EVENTS_QUEUE);
  return { run, problem: () => (isForPages ? problem : null) };
}

async function findProblem(config: Config, log: Logger): Promise<string | null> {
  try {
    return await chromiumProblem(chosenChromium(config));
  } catch (error) {
    log.warn('could not check the browser', { error });
    return 'generate_pdf will probably fail here, because the check of the browser failed';
  }
}
