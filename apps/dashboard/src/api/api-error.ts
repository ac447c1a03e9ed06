import type { ErrorCode, ErrorDetail, ErrorView } from '@jobline/contracts';

/**
 * `unreachable`: there was no response. `unexpected`: the response is not from the API but, for example, from a proxy.
 */
export type FailureCode = ErrorCode | 'unreachable' | 'unexpected';

/** An error response of the API, or a failure to get a response. `message` is a sentence for the user. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: FailureCode;
  /** 0 if there was no response. */
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | null;
  /** How long to wait before the next request, if the API says so. */
  readonly retryAfterMs: number | null;

  constructor(failure: {
    code: FailureCode;
    message: string;
    status: number;
    details?: readonly ErrorDetail[];
    requestId?: string | null;
    retryAfterMs?: number | null;
    cause?: unknown;
  }) {
    super(failure.message, { cause: failure.cause });
    this.code = failure.code;
    this.status = failure.status;
    this.details = failure.details ?? [];
    this.requestId = failure.requestId ?? null;
    this.retryAfterMs = failure.retryAfterMs ?? null;
  }
}

/** Converts an error response into an ApiError. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const waitS = Number(headers.get('Retry-After') ?? Number.NaN);
  const common = {
    status,
    requestId: headers.get('X-Request-Id'),
    retryAfterMs: Number.isFinite(waitS) ? waitS * 1_000 : null,
  };
  const view = await readErrorView(response);
  if (view) return new ApiError({ ...common, ...view.error });
  const message = `The response did not come from Jobline (status ${status}). A proxy on the way may be down.`;
  return new ApiError({ ...common, code: 'unexpected', message });
}

export function unreachable(cause: unknown): ApiError {
  const message = 'Jobline cannot be reached. Check your connection; nothing you typed is lost.';
  return new ApiError({ code: 'unreachable', status: 0, message, cause });
}

/** Whether a retry may succeed. A request that the API rejected as wrong will stay wrong. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

async function readErrorView(response: Response): Promise<ErrorView | null> {
  try {
    const body: Partial<ErrorView> = await response.json();
    return body.error ? { error: body.error } : null;
  } catch {
    return null; // not JSON, so not from the API
  }
}
