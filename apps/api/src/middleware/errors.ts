import { AppError } from '@jobline/contracts';
import { isUnavailable } from '@jobline/db';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { notFound, unavailable } from '../http/errors.js';
import { send } from '../http/send.js';
import { toErrorView } from '../views/error-view.js';

/** Throws `not_found`: no endpoint has the path. */
export const unknownPath: RequestHandler = () => {
  throw notFound();
};

/**
 * Answers every error in the format of the API, and keeps the error for the request's log line. Express recognizes an error
 * handler by its four parameters.
 */
export const answerErrors: ErrorRequestHandler = async (error: unknown, req, res, _next) => {
  const failure = toAppError(error);
  res.locals.failure = failure;
  if (res.headersSent) {
    // The response has started. Only a closed connection still shows the client that it is incomplete.
    res.destroy();
    return;
  }
  await send(req, res, {
    status: failure.status,
    body: toErrorView(failure, res.locals.requestId),
    headers: failure.headers,
  });
};

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // Thrown by the router for a path with invalid percent-encoding: no resource has such a path.
  if (error instanceof URIError) return notFound();
  if (isUnavailable(error)) return unavailable(error);
  return new AppError('internal', 'Internal error; the log has its cause under this request id.', { cause: error });
}
