import type { Operation } from '../generated/operations.js';
import { JoblineError, type JoblineErrorCode } from '../jobline-error.js';
import type { Connection } from '../options.js';
import type { ErrorDetail } from '../types.js';

const SESSION_ADVICE =
  'API keys may not do this: pass the token of a session to the client, or run `jobline login` for the command line.';

interface ErrorBody {
  code: JoblineErrorCode;
  message: string;
  details?: ErrorDetail[];
  request_id?: string;
}

/** The error for a response that is not successful. */
export async function toError(
  response: Response,
  { credential }: Connection,
  operation: Operation,
): Promise<JoblineError> {
  const { status, headers } = response;
  const body = await readErrorBody(response);
  const common = {
    status,
    requestId: body?.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfterMs: readRetryAfter(headers.get('retry-after')),
  };
  if (!body) return new JoblineError({ ...common, code: 'unexpected', message: unexpectedMessage(response) });
  const { code, message, details = [] } = body;
  const isKeyRefused = code === 'unauthenticated' && operation.needsSession && credential?.kind === 'key';
  return new JoblineError({
    ...common,
    code,
    details,
    message: isKeyRefused ? `${message} ${SESSION_ADVICE}` : message,
  });
}

export function unreachable({ baseUrl }: Connection, cause: unknown): JoblineError {
  const message = `Jobline cannot be reached at ${baseUrl} (${reasonOf(cause)}). Check the url, and that the API runs.`;
  return new JoblineError({ code: 'unreachable', message, cause });
}

export function unexpected(response: Response, cause?: unknown): JoblineError {
  const { status } = response;
  return new JoblineError({ code: 'unexpected', status, message: unexpectedMessage(response), cause });
}

/** Seconds or a date; undefined if there is neither. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

async function readErrorBody(response: Response): Promise<ErrorBody | null> {
  // The cast: checked in the next line, as far as it is used.
  const body = (await response.json().catch(() => null)) as { error?: Partial<ErrorBody> } | null;
  const { code, message, ...rest } = body?.error ?? {};
  return code && message ? { code, message, ...rest } : null;
}

function unexpectedMessage({ status, type, headers }: Response): string {
  const location = headers.get('location');
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return `The server answered with a redirect${location ? ` to ${location}` : ''}. Use the final address as url.`;
  return `The response did not come from Jobline (status ${status}). A proxy on the way may be down, or the url is wrong.`;
}

/** Node names the reason in the cause of the error of `fetch`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : error.message);
}
