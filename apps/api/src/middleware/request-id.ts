import { randomId } from '@jobline/runtime';
import type { RequestHandler } from 'express';

/** Fit for a header and for a log line. */
const SANE = /^[A-Za-z0-9._:/=+@-]{1,128}$/;

/** Before a caller's own id where an id is kept as evidence: no id that is made here begins so. */
const GIVEN = 'caller:';

/**
 * Names the request: as its caller does, if that is sane, else by a new id. First, so that every answer has it. The audit
 * log keeps a caller's id with a prefix, so that no caller can give a request the look of another one.
 */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id'];
  const isSane = typeof given === 'string' && SANE.test(given);
  const id = isSane ? given : randomId();
  res.locals.requestId = id;
  res.locals.auditedRequestId = isSane ? GIVEN + given : id;
  res.setHeader('X-Request-Id', id);
  next();
};
