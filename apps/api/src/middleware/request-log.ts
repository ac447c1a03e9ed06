import type { AppError } from '@jobline/contracts';
import { HandlerError } from '@jobline/handlers';
import type { LogFields, Logger } from '@jobline/runtime';
import type { Request, RequestHandler, Response } from 'express';

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
