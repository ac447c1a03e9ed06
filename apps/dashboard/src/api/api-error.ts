import type { ErrorCode, ErrorDetail, ErrorView } from '@jobline/contracts';

/** `unreachable`: no answer came at all. `unexpected`: one that is not the API's, a proxy's perhaps. */
export type FailureCode = ErrorCode | 'unreachable' | 'unexpected';

/** The API's refusal, or what kept it from answering. `message` is a sentence that may be shown as it is. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: FailureCode;
  /** 0 where no answer came. */
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | null;
  /** How long to wait before another try, where the API says so. */
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

/** Reads the body of an answer that is not a success. */
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
  const message = `The answer was not Jobline's (status ${status}): something between here and there may be down.`;
  return new ApiError({ ...common, code: 'unexpected', message });
}

export function unreachable(cause: unknown): ApiError {
  const message = 'Jobline cannot be reached. Check your connection; nothing you typed is lost.';
  return new ApiError({ code: 'unreachable', status: 0, message, cause });
}

/** Whether another try may help: what a person did wrong stays wrong. */
export function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

async function readErrorView(response: Response): Promise<ErrorView | null> {
  try {
    const body: Partial<ErrorView> = await response.json();
    return body.error ? { error: body.error } : null;
  } catch {
    return null; // no JSON: not the API's
  }
}
