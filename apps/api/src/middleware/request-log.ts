import type { AppError } from '@jobline/contracts';
import { HandlerError } from '@jobline/handlers';
import type { LogFields, Logger } from '@jobline/runtime';
import type { Request, RequestHandler, Response } from 'express';

/**
 * One line per request, when it is over: who asked for what, how it ended and, when it failed, why. Never a query, a
 * header or a body: those hold secrets. What went well is told at `debug`, because at thousands a second the telling
 * would cost a good part of the doing.
 */
export function requestLog(log: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now();
    res.once('close', () => {
      const { failure } = res.locals;
      const fields = describe(req, res, performance.now() - startedAt);
      if (!failure) log[res.writableFinished ? 'debug' : 'info']('request', fields);
      else if (failure.status < 500) log.info('request refused', { ...fields, code: failure.code });
      else log.error('request failed', { ...fields, code: failure.code, ...reasonOf(failure) });
    });
    next();
  };
}

/** Not a provider's words, in which it may have quoted the message: those who sent it find them with it. */
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
    // Not `req.path`: below what is mounted at a path that lacks its beginning.
    path: req.originalUrl.split('?', 1)[0],
    // The client went away before it had the whole answer.
    ...(res.writableFinished ? { status: res.statusCode } : { aborted: true }),
    duration_ms: Math.round(durationMs),
    ip: req.ip,
    ...(principal && { org_id: principal.orgId, by: principal.kind }),
  };
}
