import { Hourglass } from 'lucide-react';
import type { ReactNode } from 'react';
import { LoadError } from '../../shell/load-error.js';
import { CodeBlock, EmptyState, Json, Skeleton, type Tab, Tabs } from '../../ui/index.js';
import { JobFiles } from './job-files.js';
import type { Job, JobTab } from './model.js';
import type { JobData } from './queries.js';

interface JobPanelsProps {
  data: JobData;
  job: Job;
  /** The log, if it is one of the tabs; null if it is shown separately. */
  log: ReactNode;
  tab: JobTab | undefined;
  onTab: (tab: JobTab) => void;
}

export function JobPanels({ data: { result, files }, job, log, tab, onTab }: JobPanelsProps) {
  const tabs: Tab<JobTab>[] = [
    ...(log === null ? [] : [{ value: 'log' as const, label: 'Log', content: log }]),
    { value: 'payload', label: 'Payload', content: <Json label="Payload" value={job.payload} /> },
    { value: 'result', label: 'Result', content: <JobResultPanel result={result} /> },
    {
      value: 'files',
      label: 'Files',
      count: files.data?.length || undefined,
      content: <JobFiles files={files} job={job} result={result.data?.result} />,
    },
  ];
  const first = log === null ? 'payload' : 'log';
  const value = tabs.some((one) => one.value === tab) ? (tab ?? first) : first;
  return <Tabs label="About the job" manual tabs={tabs} value={value} onChange={onTab} className="min-w-0" />;
}

function JobResultPanel({ result }: Pick<JobData, 'result'>) {
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
