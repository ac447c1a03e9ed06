import { type AppError, ERROR_CODES, type ErrorCode, type ErrorDetail, type ErrorView } from '@jobline/contracts';
import Joi from 'joi';
import { cutDetails } from '../http/cut-details.js';
import { text, view } from './view.js';

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
  details: Joi.array().items(errorDetail).min(1).description('All validation issues of the request.'),
};

export const errorView = view<ErrorView>('Error', {
  error: view<ErrorView['error']>(
    'ErrorBody',
    { ...errorFields, request_id: Joi.string().description('The `X-Request-Id` of the response.') },
    { optional: ['details'] },
  ),
});

export function toErrorView({ code, message, details }: AppError, requestId: string): ErrorView {
  return { error: { code, message, ...(details?.length && { details: cutDetails(details) }), request_id: requestId } };
}
