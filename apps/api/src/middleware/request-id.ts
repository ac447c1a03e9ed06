import { randomId } from '@jobline/runtime';
import type { RequestHandler } from 'express';

/** Fit for a header and for a log line. */
const SANE = /^[A-Za-z0-9._:/=+@-]{1,128}$/;

/** Names the request: as its caller does, if that is sane, else by a new id. First, so that every answer has it. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && SANE.test(given) ? given : randomId();
  res.locals.requestId = id;
  res.setHeader('X-Request-Id', id);
  next();
};
