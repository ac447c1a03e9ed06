import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/api-client.js';
import { take } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import { useDebounced } from '../../ui/use-debounced.js';
import { kindOf, sourceOf, type Values } from './template-values.js';

export interface Previewed {
  /** The last that could be filled; null before there is one. */
  filled: (Schemas['Preview'] & { kind: ReturnType<typeof kindOf> }) | null;
  /** Why what is written now cannot be. */
  error: Error | null;
  isBehind: boolean;
}

const AFTER_MS = 300;

/** The text as the server fills it, asked for when the writer pauses. An answer to an older text is dropped. */
export function usePreview(values: Values, data: Record<string, unknown>): Previewed {
  const api = useApi();
  const typed = JSON.stringify({ ...sourceOf(values), data });
  const settled = useDebounced(typed, AFTER_MS);
  const isEmpty = values.body === '';
  const [last, setLast] = useState<Previewed['filled']>(null);
  // What is typed first is not settled yet: until then an empty body would be asked for, which is refused.
  const isSettledEmpty = settled === '' || JSON.parse(settled).body === '';
  const query = useQuery({
    queryKey: ['preview', settled],
    queryFn: async ({ signal }) => {
      const body = JSON.parse(settled); // of what was made into it above
      const filled = await take(api.POST('/org/templates/preview', { body, signal }));
      return { ...filled, kind: kindOf(body) };
    },
    enabled: !isEmpty && !isSettledEmpty,
    placeholderData: () => undefined, // the last one is kept here
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (query.data && query.data !== last) setLast(query.data);
  return {
    filled: isEmpty ? null : (query.data ?? last),
    error: isEmpty ? null : query.error,
    isBehind: !isEmpty && (typed !== settled || query.isFetching),
  };
}
