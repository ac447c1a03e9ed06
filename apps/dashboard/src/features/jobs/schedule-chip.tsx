import { useQuery } from '@tanstack/react-query';
import { truncateMiddle } from '../../format/index.js';
import { useApi } from '../../services.js';
import { FilterChip } from '../../ui/index.js';

/** The filter by schedule, with the name of the schedule if it still exists. */
export function ScheduleChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['listSchedules', id],
    queryFn: ({ signal }) => api.schedules.get(id, { signal }),
    retry: false,
  });
  return <FilterChip name="Schedule" value={data?.name ?? truncateMiddle(id)} onRemove={onRemove} />;
}
