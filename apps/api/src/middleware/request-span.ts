import { readTraceparent, type Tracing } from '@jobline/runtime';
import type { RequestHandler } from 'express';
import { endpointOf } from './request-metrics.js';

/** Each request is a span, under its caller's own if it sent a `traceparent`. */
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
      // A refusal is the caller's fault, not ours.
      if (failure && failure.status >= 500) span.fail(failure.code);
      span.end();
    });
    span.run(next);
  };
}
