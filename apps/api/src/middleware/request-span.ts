import { activate, activeSpan, failSpan, readTraceparent, SpanKind, startSpan } from '@jobline/runtime';
import type { NextFunction, Request, Response } from 'express';
import { endpointOf } from './request-metrics.js';

/** Creates a span for each request, as a child of the caller's span if the request has a `traceparent`. */
export function requestSpan(req: Request, res: Response, next: NextFunction): void {
  const span = startSpan(req.method, {
    kind: SpanKind.SERVER,
    parent: readTraceparent(req.headers.traceparent),
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
}
