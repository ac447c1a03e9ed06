import type { AppError } from '@jobline/contracts';
import { HandlerError } from '@jobline/handlers';
import {
  activate,
  activeSpan,
  failSpan,
  type LogFields,
  type Logger,
  type Metrics,
  randomId,
  readTraceparent,
  resampled,
  SpanKind,
  startSpan,
} from '@jobline/runtime';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Principal } from '../auth/authorize.js';

/**
 * Logs one line per finished request: the caller, the path, the status and, for errors, the reason. Never a query, a header
 * or a body, because those contain secrets. Successful requests are logged at `debug`: at thousands of requests a second,
 * the log would cost a good part of the work.
 */
export function requestLog(log: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const { failure } = res.locals;
      const fields = describe(req, res, performance.now() - startedAt);
      if (!failure) log[res.writableFinished ? 'debug' : 'info']('request', fields);
      else if (failure.status < 500) log.info('request rejected', { ...fields, code: failure.code });
      else log.error('request failed', { ...fields, code: failure.code, ...reasonOf(failure) });
    });
    next();
  };
}

/** Without a provider's error text, which may quote the message. The sender finds that text in the message history. */
function reasonOf(failure: AppError): LogFields {
  const { code, cause } = failure;
  if (code !== 'provider_error') return { error: cause ?? failure };
  return { reason: cause instanceof HandlerError ? cause.code : 'provider_unavailable' };
}

function describe(req: Request, res: Response, durationMs: number): LogFields {
  const { requestId, traceId, principal } = res.locals;
  return {
    request_id: requestId,
    ...(traceId !== undefined && { trace_id: traceId }),
    method: req.method,
    // Not `req.path`: for an app that is mounted at a path, it lacks that path.
    path: req.originalUrl.split('?', 1)[0],
    // The client disconnected before it had the complete response.
    ...(res.writableFinished ? { status: res.statusCode } : { aborted: true }),
    duration_ms: Math.round(durationMs),
    ip: req.ip,
    ...(principal && { org_id: principal.orgId, by: principal.kind }),
  };
}

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COUNTED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

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
      const method = COUNTED_METHODS.has(req.method) ? req.method : 'other';
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
function endpointOf({ baseUrl, route }: Request, { locals }: Response): string {
  return locals.endpoint ?? (typeof route?.path === 'string' ? baseUrl + route.path : 'other');
}

function isEventStream(res: Response): boolean {
  return String(res.getHeader('Content-Type') ?? '').startsWith('text/event-stream');
}

/**
 * Creates a span for each request, as a child of the caller's span if the request has a `traceparent`. `sampling`: whether its
 * flag decides if the span is stored.
 */
export const requestSpan = (sampling: 'own' | 'caller') => (req: Request, res: Response, next: NextFunction) => {
  const parent = readTraceparent(req.headers.traceparent);
  const span = startSpan(req.method, {
    kind: SpanKind.SERVER,
    parent: sampling === 'own' ? resampled(parent) : parent,
    attributes: { 'http.request.method': req.method, 'jobline.request_id': res.locals.requestId },
  });
  res.once('close', () => {
    const endpoint = endpointOf(req, res);
    span.updateName(`${req.method} ${endpoint}`);
    span.setAttributes({ 'http.route': endpoint, 'http.response.status_code': res.statusCode });
    const { failure, principal } = res.locals;
    if (principal) span.setAttribute('jobline.org_id', principal.orgId);
    // Errors below 500 are the caller's, so they do not fail the span.
    if (failure && failure.status >= 500) failSpan(span, failure.code);
    span.end();
  });
  activate(span, () => {
    res.locals.traceId = activeSpan()?.spanContext().traceId;
    next();
  });
};

/** An id that is safe in a header and in a log line. */
const VALID = /^[A-Za-z0-9._:/=+@-]{1,128}$/;

/** The prefix of a caller's id in the audit log. No generated id has it. */
const CALLER_PREFIX = 'caller:';

/**
 * Sets the id of the request: the caller's id if it is valid, otherwise a new one. It is the first middleware, so that every
 * response has an id. The audit log has a caller's id with a prefix, so that no caller can imitate the id of another request.
 */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id'];
  const isValid = typeof given === 'string' && VALID.test(given);
  const id = isValid ? given : randomId();
  res.locals.requestId = id;
  res.locals.auditedRequestId = isValid ? CALLER_PREFIX + given : id;
  res.setHeader('X-Request-Id', id);
  next();
};

declare global {
  namespace Express {
    /** Data about a request for error responses, the log, metrics and traces. */
    interface Locals {
      /** The id in the response and in the log. The caller may have chosen it. */
      requestId: string;
      /** The id in the audit log. A prefix marks ids that the caller has chosen. */
      auditedRequestId: string;
      /** Absent while tracing is off. */
      traceId?: string | undefined;
      principal?: Principal | undefined;
      /** The name in the metrics, if it is not the path of an endpoint. */
      endpoint?: 'page' | 'asset';
      /** The error of the response. */
      failure?: AppError;
    }
  }
}
