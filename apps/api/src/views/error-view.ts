import { type AppError, ERROR_CODES, type ErrorCode, type ErrorDetail, type ErrorView } from '@jobline/contracts';
import Joi from 'joi';
import { text, view } from './view.js';

// The cast: the keys of the table are what ErrorCode is made of.
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

const errorDetail = view<ErrorDetail>('ErrorDetail', {
  path: text().description('Where the fault is, as `payload.to` or `jobs[3].type`; empty for the body itself.'),
  message: Joi.string(),
});

export const errorView = view<ErrorView>('Error', {
  error: view<ErrorView['error']>(
    'ErrorBody',
    {
      code: Joi.valid(...codes),
      message: Joi.string().description('A sentence that a person can act on.'),
      details: Joi.array().items(errorDetail).min(1).description('Every fault of the request, not just the first.'),
      request_id: Joi.string().description('The `X-Request-Id` of the answer.'),
    },
    { optional: ['details'] },
  ),
});

export function toErrorView({ code, message, details }: AppError, requestId: string): ErrorView {
  return { error: { code, message, ...(details?.length && { details: [...details] }), request_id: requestId } };
}
