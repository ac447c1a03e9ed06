import { Download } from 'lucide-react';
import type { Ref } from 'react';
import { logText } from '../../product/log/lines.js';
import { Log, type LogHandle } from '../../product/log/log.js';
import { saveBlob } from '../../product/save-blob.js';
import { LoadError } from '../../shell/load-error.js';
import { FilterChip, IconButton, LivePill, Skeleton } from '../../ui/index.js';
import type { Job, JobData, JobResult } from './queries.js';

interface JobLogProps {
  data: JobData;
  job: Job;
  attempt: number | null;
  onAttempt: (number: number | null) => void;
  className: string;
  ref: Ref<LogHandle>;
}

export function JobLog({ data: { log, live, result }, job, attempt, onAttempt, className, ref }: JobLogProps) {
  const { lines, read } = log;
  const isLive = job.status === 'pending' || job.status === 'processing';
  return (
    <section aria-label="Log" className="min-w-0 overflow-clip rounded-card border border-line bg-surface">
      <Log
        ref={ref}
        label={`Log of ${job.type} ${job.id}`}
        lines={lines}
        live={isLive}
        attempt={attempt}
        className={className}
        aside={
          <>
            {attempt !== null && <FilterChip name="Attempt" value={String(attempt)} onRemove={() => onAttempt(null)} />}
            {live && isLive && <LivePill state={live} />}
            <IconButton
              label="Download the log"
              icon={<Download />}
              size="small"
              onClick={() => saveBlob(new Blob([logText(lines), '\n'], { type: 'text/plain' }), `${job.id}.log`)}
            />
          </>
        }
        empty={
          read.isPending ? <LogSkeleton /> : read.isError ? <LoadError of={read} /> : emptySentence(job, result.data)
        }
      />
    </section>
  );
}

function LogSkeleton() {
  return (
    <div role="status" aria-label="Loading the log" className="flex flex-col gap-2.5">
      {['w-2/3', 'w-1/2', 'w-3/4', 'w-2/5', 'w-3/5'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  );
}

function emptySentence({ status }: Job, result: JobResult | undefined): string {
  if (status === 'pending') {
    const isDue = !result || Date.parse(result.run_at) <= Date.now();
    return `Waiting ${isDue ? 'to start' : 'for the scheduled time'}. The log will appear here.`;
  }
  if (status === 'processing') return 'A worker is running the job. There are no log lines yet.';
  if (status === 'failed' && result?.error?.code === 'canceled') return 'The job was canceled before it started.';
  return 'The job wrote no log lines.';
}
