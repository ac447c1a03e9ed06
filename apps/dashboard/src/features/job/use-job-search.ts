import { getRouteApi } from '@tanstack/react-router';
import type { JobTab } from './search.js';

const route = getRouteApi('/app/job/$id');

/** What of the page is in its address. */
export function useJobSearch() {
  const { tab, attempt } = route.useSearch();
  const navigate = route.useNavigate();
  /** Null: all attempts. No entry of the history: Back leaves the job. */
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
