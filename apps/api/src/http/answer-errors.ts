import { AppError, ERROR_CODES, type ErrorCode, type ErrorDetail, type ErrorView } from '@jobline/contracts';
import { isShareUsedUp, isUnavailable } from '@jobline/db';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import Joi from 'joi';
import type { ResponseBudget } from '../budgets/response-budget.js';
import { addressKey } from '../rate-limits/client-address.js';
import { notFound, overloaded, unavailable } from './errors.js';
import { send } from './send.js';
import { text, view } from './view.js';

/** Throws `not_found`: no endpoint has the path. */
export const unknownPath: RequestHandler = () => {
  throw notFound();
};

/**
 * Answers every error in the format of the API, and keeps the error for the request's log line. Express recognizes an error
 * handler by its four parameters.
 */
export function answerErrors(responses: ResponseBudget): ErrorRequestHandler {
  return async (error: unknown, req, res, _next) => {
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
    responses.add(res.locals.principal?.orgId ?? addressKey(req.ip), res);
  };
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // Thrown by the router for a path with invalid percent-encoding: no resource has such a path.
  if (error instanceof URIError) return notFound();
  if (isShareUsedUp(error))
    return overloaded('Your organization has too many requests in progress; try again in a second.');
  if (isUnavailable(error)) return unavailable(error);
  return new AppError('internal', 'Internal error; the log has its cause under this request id.', { cause: error });
}

// The cast: the keys of the table are what ErrorCode is made of.
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

const errorDetail = view<ErrorDetail>('ErrorDetail', {
  path: text().description(
    'The location of the issue, such as `payload.to` or `jobs[3].type`; empty for the whole body.',
  ),
  message: Joi.string(),
});

/** The fields of an error without the id of its request. */
export const errorFields = {
  code: Joi.valid(...codes),
  message: Joi.string().description('What happened and what to do.'),
  details: Joi.array().items(errorDetail).min(1).description('All validation issues of the request.').optional(),
};

export const errorView = view<ErrorView>('Error', {
  error: view<ErrorView['error']>('ErrorBody', {
    ...errorFields,
    request_id: Joi.string().description('The `X-Request-Id` of the response.'),
  }),
});

function toErrorView({ code, message, details }: AppError, requestId: string): ErrorView {
  return { error: { code, message, ...(details?.length && { details: cutDetails(details) }), request_id: requestId } };
}

/** About how many bytes the details of one response may have. The issues of a batch of 1,000 jobs have 80 KiB. */
export const MAX_DETAILS_BYTES = 256 * 1024;

/** The first detail and those after it that fit into `maxBytes`. If some do not fit, the last one says how many are left out. */
export function cutDetails(details: readonly ErrorDetail[], maxBytes = MAX_DETAILS_BYTES): ErrorDetail[] {
  let bytes = 0;
  const end = details.findIndex((detail, n) => {
    bytes += bytesOf(detail);
    return n > 0 && bytes > maxBytes;
  });
  if (end < 0) return [...details];
  return [...details.slice(0, end), { path: '', message: `${details.length - end} more issues are not listed` }];
}

export function bytesOf(detail: ErrorDetail): number {
  return Buffer.byteLength(JSON.stringify(detail));
}
