import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import { isRetryable } from './api-client.js';

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
