import { readTraceparent, type Tracing } from '@jobline/runtime';
import type { RequestHandler } from 'express';
import { endpointOf } from './request-metrics.js';

/** Creates a span for each request, as a child of the caller's span if the request has a `traceparent`. */
export function requestSpan(tracing: Tracing): RequestHandler {
  return (req, res, next) => {
    const span = tracing.start({
      name: req.method,
      kind: 'server',
      parent: readTraceparent(req.headers.traceparent),
      attributes: { 'http.request.method': req.method, 'jobline.request_id': res.locals.requestId },
    });
    res.locals.traceId = span.traceId ?? undefined;
    res.once('close', () => {
      const endpoint = endpointOf(req, res);
      span.rename(`${req.method} ${endpoint}`);
      span.set({ 'http.route': endpoint, 'http.response.status_code': res.statusCode });
      const { failure, principal } = res.locals;
      if (principal) span.set({ 'jobline.org_id': principal.orgId });
      // Errors below 500 are the caller's, so they do not fail the span.
      if (failure && failure.status >= 500) span.fail(failure.code);
      span.end();
    });
    span.run(next);
  };
}
