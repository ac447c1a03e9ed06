import { AppError } from '@jobline/contracts';
import { isUnavailable } from '@jobline/db';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { notFound, unavailable } from '../http/http-errors.js';
import { send } from '../http/send.js';
import { toErrorView } from '../views/error-view.js';

/** No endpoint has the path. */
export const unknownPath: RequestHandler = () => {
  throw notFound();
};

/** Turns whatever was thrown into the contract's answer, and leaves it for the request's log line. Express knows it by its four parameters. */
export const answerErrors: ErrorRequestHandler = async (error: unknown, req, res, _next) => {
  const failure = toAppError(error);
  res.locals.failure = failure;
  if (res.headersSent) {
    // Too late for an answer: cutting it off is the only way left to say that it is not whole.
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
  // The router's, for a path that is not percent-encoded text: nothing can be there.
  if (error instanceof URIError) return notFound();
  if (isUnavailable(error)) return unavailable(error);
  return new AppError('internal', 'Something went wrong here; the log has it under this request id.', { cause: error });
}
