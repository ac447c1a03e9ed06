import type { ReactNode } from 'react';
import { Json, type Tab, Tabs } from '../../ui/index.js';
import { JobFiles } from './job-files.js';
import { JobResultPanel } from './job-result.js';
import type { JobTab } from './search.js';
import type { Job, JobData } from './use-job.js';

export interface JobPanelsProps {
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
