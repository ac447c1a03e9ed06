import { Hourglass } from 'lucide-react';
import { LoadError } from '../../shell/load-error.js';
import { CodeBlock, EmptyState, Json, Skeleton } from '../../ui/index.js';
import type { JobData } from './use-job.js';

export function JobResultPanel({ result }: Pick<JobData, 'result'>) {
  const { data, error } = result;
  if (!data && error) return <LoadError of={result} />;
  if (!data) return <Skeleton className="h-48 w-full rounded-card" />;
  if (data.status === 'done') return <Json label="Result" value={data.result} />;
  if (data.status === 'failed') {
    return (
      <div className="flex flex-col gap-3">
        <p className="text-muted">The job failed, so it has no result. This is the error of its last attempt:</p>
        <CodeBlock label="error" code={data.error ? `${data.error.code}: ${data.error.message}` : '–'} />
      </div>
    );
  }
  return (
    <EmptyState icon={<Hourglass />} title="No result yet.">
      The result appears here when the job is done.
    </EmptyState>
  );
}
