import type { Column } from '../../ui/index.js';
import type { Job } from './filters.js';

/** A job on a phone, in two lines: status and creation time; type, id and retries. */
export function JobCard({ job, columns }: { job: Job; columns: readonly Column<Job>[] }) {
  const cell = (id: string) => columns.find((column) => column.id === id)?.cell(job);
  return (
    <>
      <div className="flex min-h-7 items-center justify-between gap-3">
        {cell('status')}
        <span className="flex shrink-0 items-center gap-2 text-meta text-muted">
          {cell('created')}
          {cell('menu')}
        </span>
      </div>
      <div className="mt-1 flex items-baseline gap-3">
        <span className="max-w-[45%] shrink-0 truncate">{cell('type')}</span>
        <span className="min-w-0 flex-1 truncate">{cell('job')}</span>
        <span className="shrink-0 text-meta text-muted">{cell('retries')}</span>
      </div>
    </>
  );
}
