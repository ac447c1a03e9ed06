import type { AppError } from '@jobline/contracts';
import { randomId } from '@jobline/runtime';
import type { RequestHandler } from 'express';
import type { Principal } from '../auth/authorize.js';

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
