import type { Metrics } from '@jobline/runtime';
import type { Request, RequestHandler, Response } from 'express';

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Counts requests by the endpoint's path, never by the path that was asked for: whoever asks makes those up. */
export function requestFigures(metrics: Metrics): RequestHandler {
  const requests = metrics.counter(
    'http_requests_total',
    'Requests answered, by endpoint and status ("aborted": the client left).',
    ['method', 'endpoint', 'status'],
  );
  const refusals = metrics.counter('http_errors_total', 'Requests refused or failed, by error code.', ['code']);
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'How long requests took, by endpoint; event streams, which have no end, left out.',
    { labels: ['method', 'endpoint'], buckets: DURATION_BUCKETS_S },
  );
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const method = METHODS.has(req.method) ? req.method : 'other';
      const endpoint = endpointOf(req, res);
      requests.inc({ method, endpoint, status: res.writableFinished ? String(res.statusCode) : 'aborted' });
      const { failure } = res.locals;
      if (failure) refusals.inc({ code: failure.code });
      if (!isEventStream(res)) durations.observe({ method, endpoint }, (performance.now() - startedAt) / 1_000);
    });
    next();
  };
}

/** The path as the endpoint has it, `/jobs/:id`; `page` or `asset` of the dashboard; whatever is none's is `other`. */
export function endpointOf({ baseUrl, route }: Request, { locals }: Response): string {
  return locals.endpoint ?? (typeof route?.path === 'string' ? baseUrl + route.path : 'other');
}

function isEventStream(res: Response): boolean {
  return String(res.getHeader('Content-Type') ?? '').startsWith('text/event-stream');
}
