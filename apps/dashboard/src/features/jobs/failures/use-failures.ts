import type { Schemas } from '@jobline/client';
import type { BulkActionKind, StatsWindow } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../services.js';
import type { Filters } from '../filters.js';

export type FailureGroup = Schemas['FailureGroup'];

/** Loads the groups. There is no polling, because rows must not move while the user reads them. */
export function useFailures(window: StatsWindow) {
  const api = useApi();
  return useQuery({
    queryKey: ['failures', window],
    // The result contains its time range, because the groups of another range are shown while the new ones load.
    queryFn: async ({ signal }) => {
      const groups = await api.jobs.failures({ window }, { signal });
      return { window, groups };
    },
    refetchOnWindowFocus: false,
  });
}

/** The filters that match the jobs of a group. The API cannot filter by message, so they can match more jobs. */
export function filtersOfGroup({ type, error_code }: FailureGroup) {
  return { status: 'failed', type, error_code } as const satisfies Filters;
}

/** The action that repairs a group. Expired jobs cannot be retried. */
export function actionOn({ error_code }: FailureGroup): BulkActionKind {
  return error_code === 'expired' ? 'rerun' : 'retry';
}
