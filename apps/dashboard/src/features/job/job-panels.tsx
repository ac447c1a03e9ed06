import type { Artifact } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { Download, FileText, FileX, Hourglass } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatBytes, formatShare, isObject } from '../../format/index.js';
import { FilePreview, usePreviewKind } from '../../product/file-view.js';
import { saveBlob } from '../../product/save-blob.js';
import { useApi } from '../../services.js';
import { LoadError } from '../../shell/load-error.js';
import { Button, Callout, CodeBlock, EmptyState, Json, Skeleton, type Tab, Tabs, toast } from '../../ui/index.js';
import { isFinished, type Job, type JobData } from './queries.js';

export type JobTab = 'log' | 'payload' | 'result' | 'files';

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
  if (!data) return error ? <LoadError of={result} /> : <Skeleton className="h-48 w-full rounded-card" />;
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

function JobFiles({ files, job, result }: Pick<JobData, 'files'> & { job: Job; result: unknown }) {
  const { data, error } = files;
  if (!data) return error ? <LoadError of={files} /> : <Skeleton className="h-16 w-full rounded-card" />;
  if (data.length === 0) {
    return (
      <EmptyState icon={<FileX />} title={isFinished(job) ? 'This job saved no files.' : 'No files yet.'}>
        {!isFinished(job) && 'Files that the handler saves are listed here.'}
      </EmptyState>
    );
  }
  return (
    <ul className="flex flex-col gap-3">
      {data.map((artifact) => (
        <li key={artifact.name}>
          <JobFile id={job.id} artifact={artifact} remark={compressionSummary(result, artifact.name)} />
        </li>
      ))}
    </ul>
  );
}

/** Larger files have no preview, because it would keep them in memory. */
const MAX_PREVIEW_BYTES = 20 * 1_024 * 1_024;

/** A file with its name, type, size, download button and preview. `remark`: a note about it. */
function JobFile({ id, artifact, remark }: { id: string; artifact: Artifact; remark: string | null }) {
  const { name, content_type: contentType, size, sha256 } = artifact;
  const kind = usePreviewKind(contentType);
  const isShown = kind !== 'none' && size <= MAX_PREVIEW_BYTES;
  const api = useApi();
  const file = useQuery({
    // The key contains the hash, because a later attempt may replace the file.
    queryKey: ['job-file', id, name, sha256],
    queryFn: async ({ signal }) => {
      const response = await api.jobs.artifacts.download(id, name, { signal });
      return new Blob([await response.arrayBuffer()], { type: contentType });
    },
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const download = async () => {
    const { data, error } = file.data ? file : await file.refetch();
    if (data) saveBlob(data, name);
    else toast.error(`${name} was not downloaded`, { detail: error?.message });
  };
  return (
    <div className="min-w-0 overflow-hidden rounded-card border border-line bg-surface">
      <div className="flex items-center gap-3 p-3">
        <span className="grid size-9 shrink-0 place-items-center rounded-control bg-sunken text-muted">
          <FileText size={16} />
        </span>
        <div className="min-w-0 flex-1">
          <p title={name} className="truncate text-body font-medium">
            {name}
          </p>
          <p className="truncate text-meta text-muted tabular-nums">
            {formatBytes(size)} · {contentType}
          </p>
          {remark && <p className="text-meta text-muted tabular-nums">{remark}</p>}
        </div>
        <Button
          busy={!isShown && file.isFetching}
          onClick={() => void download()}
          icon={<Download />}
          aria-label={`Download ${name}`}
        >
          <span className="max-sm:hidden">Download</span>
        </Button>
      </div>
      {isShown && file.error && (
        <Callout tone="warning" className="m-3">
          The preview could not be loaded: {file.error.message}
        </Callout>
      )}
      {isShown && !file.error && <FilePreview kind={kind} blob={file.data} name={name} />}
      {!isShown && (
        <p className="border-t border-line px-3 py-2 text-meta text-muted">{whyNotShown(contentType, size)}</p>
      )}
    </div>
  );
}

function whyNotShown(contentType: string, size: number): string {
  if (size > MAX_PREVIEW_BYTES) return `Files over ${formatBytes(MAX_PREVIEW_BYTES)} are not shown here.`;
  if (contentType.startsWith('application/pdf')) return 'This browser cannot show PDFs in a page. Download the file.';
  return 'Files of this type are not shown here because they could contain scripts.';
}

/** Returns `1.2 MB → 430 KB, −64%` for the file that a compress_image job has written; null for other files. */
export function compressionSummary(result: unknown, name: string): string | null {
  if (!isObject(result)) return null;
  const { artifact, size_before: before, size_after: after } = result;
  if (artifact !== name || typeof before !== 'number' || typeof after !== 'number' || before <= 0) return null;
  const sizes = `${formatBytes(before)} → ${formatBytes(after)}`;
  if (after === before) return `${sizes}, no change`;
  const sign = after < before ? '−' : '+';
  return `${sizes}, ${sign}${formatShare(Math.abs(before - after), before)}`;
}
