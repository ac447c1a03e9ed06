import { getRouteApi } from '@tanstack/react-router';
import type { JobTab } from './search.js';

const route = getRouteApi('/app/job/$id');

/** Returns the search parameters of the page and a function that changes them. */
export function useJobSearch() {
  const { tab, attempt } = route.useSearch();
  const navigate = route.useNavigate();
  /** A null attempt shows all attempts. It replaces the history entry, so that Back leaves the job. */
  const choose = (changed: { tab?: JobTab; attempt?: number | null }) =>
    void navigate({
      search: (now) => {
        const { attempt: next, ...rest } = { ...now, ...changed };
        return { ...rest, ...(next != null && { attempt: next }) };
      },
      replace: true,
      resetScroll: false,
    });
  return { tab, attempt, choose };
}
