import { Jobline, JoblineError } from '@jobline/client';
import type { ErrorView } from '@jobline/contracts';
import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import type { Session } from '../session/session.js';

/** The longest time limit. A request may wait until the user has signed in again. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** How long the API may take to begin its answer: longer than it works on a read, and on the start of a large bulk action. */
const READ_MS = 15_000;
const WRITE_MS = 75_000;

/**
 * Creates a client that sends the session's token. If the API rejects the token, the sign-in dialog opens over the
 * page, and the request is repeated after the user has signed in. The caller only notices the delay.
 *
 * The client retries nothing: the queries of the pages do, because they pause while a tab is hidden or offline. A
 * failed write is shown to the user, who decides.
 */
export function createApi(session: Session): Jobline {
  return new Jobline({
    url: location.origin,
    timeoutMs: NO_LIMIT_MS,
    maxRetries: 0,
    async fetch(input, init) {
      const token = session.token();
      const response = await send(input, init, token);
      if (token === null || !(await isTokenRejected(response))) return response;
      const renewed = await session.renew(token).catch(() => null); // null: the user has signed out
      return renewed === null ? response : send(input, init, renewed);
    },
  });
}

/** Whether another try may succeed. A request that the API rejected as wrong will stay wrong. */
function isRetryable(error: unknown): boolean {
  return error instanceof JoblineError && (error.code === 'unreachable' || error.status >= 500);
}

async function send(input: RequestInfo | URL, init: RequestInit | undefined, token: string | null): Promise<Response> {
  const headers = new Headers(init?.headers);
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), init?.method === 'GET' ? READ_MS : WRITE_MS);
  try {
    const signals = [limit.signal, init?.signal].filter((signal) => !!signal);
    return await fetch(input, { ...init, headers, signal: AbortSignal.any(signals) });
  } catch (cause) {
    const [code, what] = limit.signal.aborted
      ? (['timeout', 'does not answer'] as const)
      : (['unreachable', 'cannot be reached. Check your connection'] as const);
    throw new JoblineError({ code, message: `Jobline ${what}; nothing you typed is lost.`, cause });
  } finally {
    clearTimeout(timer);
  }
}

/** `invalid_credentials` is also a 401, but it concerns the password in the request. */
async function isTokenRejected(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const body: Partial<ErrorView> | null = await response
    .clone()
    .json()
    .catch(() => null); // not from the API
  return body?.error?.code === 'unauthenticated';
}

const FRESH_MS = 5_000;
const MAX_RETRIES = 2;

/** Old data stays on the screen during a refetch. Only retryable errors are retried, and writes are never retried. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        placeholderData: keepPreviousData,
        retry: (failures, error) => failures < MAX_RETRIES && isRetryable(error),
        retryDelay: (failures) => Math.min(1_000 * 2 ** failures, 8_000),
      },
      mutations: { retry: false },
    },
  });
}
