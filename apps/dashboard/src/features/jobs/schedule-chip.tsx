import { useQuery } from '@tanstack/react-query';
import { take } from '../../api/api-client.js';
import { truncateMiddle } from '../../format/index.js';
import { useApi } from '../../services.js';
import { FilterChip } from '../../ui/index.js';

/** The filter by schedule, with the name of the schedule if it still exists. */
export function ScheduleChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['/schedules', id],
    queryFn: ({ signal }) => take(api.GET('/schedules/{id}', { params: { path: { id } }, signal })),
    retry: false,
  });
  return <FilterChip name="Schedule" value={data?.name ?? truncateMiddle(id)} onRemove={onRemove} />;
}
