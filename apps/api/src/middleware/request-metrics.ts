import type { Metrics } from '@jobline/runtime';
import type { Request, RequestHandler, Response } from 'express';

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Counts requests by the path of the endpoint, never by the requested path: callers could invent any number of those. */
export function requestMetrics(metrics: Metrics): RequestHandler {
  const requests = metrics.counter(
    'http_requests_total',
    'Answered requests, by endpoint and status ("aborted": the client disconnected).',
    ['method', 'endpoint', 'status'],
  );
  const errors = metrics.counter('http_errors_total', 'Error responses, by error code.', ['code']);
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'Duration of requests by endpoint, without event streams, which have no end.',
    { labels: ['method', 'endpoint'], buckets: DURATION_BUCKETS_S },
  );
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const method = METHODS.has(req.method) ? req.method : 'other';
      const endpoint = endpointOf(req, res);
      requests.inc({ method, endpoint, status: res.writableFinished ? String(res.statusCode) : 'aborted' });
      const { failure } = res.locals;
      if (failure) errors.inc({ code: failure.code });
      if (!isEventStream(res)) durations.observe({ method, endpoint }, (performance.now() - startedAt) / 1_000);
    });
    next();
  };
}

/** The path of the endpoint, such as `/jobs/:id`; `page` or `asset` for the dashboard; `other` for all other paths. */
export function endpointOf({ baseUrl, route }: Request, { locals }: Response): string {
  return locals.endpoint ?? (typeof route?.path === 'string' ? baseUrl + route.path : 'other');
}

function isEventStream(res: Response): boolean {
  return String(res.getHeader('Content-Type') ?? '').startsWith('text/event-stream');
}
