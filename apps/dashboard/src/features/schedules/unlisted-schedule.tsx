import { JoblineError } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../services.js';
import { LoadError } from '../../shell/load-error.js';
import { Callout, Panel } from '../../ui/index.js';
import { ScheduleDetail } from './schedule-detail.js';
import type { Schedule } from './use-schedules.js';

export interface UnlistedScheduleProps {
  id: string;
  onEdit: (schedule: Schedule) => void;
}

/** The schedule of a link that is not among the loaded rows: on a later page, or deleted. */
export function UnlistedSchedule({ id, onEdit }: UnlistedScheduleProps) {
  const api = useApi();
  const schedule = useQuery({
    queryKey: ['listSchedules', id],
    queryFn: ({ signal }) => api.schedules.get(id, { signal }),
    retry: false,
  });
  const { data, error } = schedule;
  const isDeleted = error instanceof JoblineError && error.status === 404;
  return (
    <div className="mb-4">
      {data ? (
        <Panel title={data.name} padding="none">
          <ScheduleDetail schedule={data} onEdit={onEdit} />
        </Panel>
      ) : isDeleted ? (
        <Callout role="status">This schedule does not exist any more. The jobs that it has made stay.</Callout>
      ) : (
        error && <LoadError of={schedule} />
      )}
    </div>
  );
}
