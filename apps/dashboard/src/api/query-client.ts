import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import { mayPass } from './api-error.js';

const FRESH_MS = 5_000;
const MAX_RETRIES = 2;

/** Data that is refetched stays on the screen; what a person did wrong is not tried again; nothing that writes is. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        placeholderData: keepPreviousData,
        retry: (failures, error) => failures < MAX_RETRIES && mayPass(error),
        retryDelay: (failures) => Math.min(1_000 * 2 ** failures, 8_000),
      },
      mutations: { retry: false },
    },
  });
}
