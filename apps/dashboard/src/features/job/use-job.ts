import type { JobSummaryView, LogEntryView } from '@jobline/contracts';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Schemas, take } from '../../api/api-client.js';
import { useApi } from '../../services.js';
import type { StreamEvent } from '../../streams/event-parser.js';
import { useStream } from '../../streams/use-stream.js';
import type { LiveState } from '../../ui/index.js';
import { useJobLog } from './use-job-log.js';

export type Job = Schemas['Job'];
export type JobResult = Schemas['JobResult'];
export type JobData = ReturnType<typeof useJob>;

const POLL_EVERY_MS = 2_000;
const REFRESH_AFTER_MS = 200;

/** A job, how it went, its files and its log, kept as they are by the job's stream. */
export function useJob(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  const path = { path: { id } };
  const job = useQuery({
    queryKey: ['job', id],
    queryFn: () => take(api.GET('/jobs/{id}', { params: path })),
  });
  const result = useQuery({
    queryKey: ['job', id, 'result'],
    queryFn: () => take(api.GET('/jobs/{id}/result', { params: path })),
  });
  const files = useQuery({
    queryKey: ['job', id, 'files'],
    queryFn: () => take(api.GET('/jobs/{id}/artifacts', { params: path })),
  });
  const log = useJobLog(id);

  const refresh = () => void queries.invalidateQueries({ queryKey: ['job', id] });
  const refreshSoon = useSoon(refresh, REFRESH_AFTER_MS);
  const onEvent = ({ name, data }: StreamEvent) => {
    // The casts: the API's own document says what its events carry.
    if (name === 'log') {
      log.add(JSON.parse(data) as LogEntryView);
      // After a job's end a line may come with a new result: what became of a payment.
      if (job.data?.status === 'done') refreshSoon();
    } else if (name === 'status') {
      applyStatus(queries, JSON.parse(data) as JobSummaryView);
      refreshSoon();
    }
  };
  const poll = () => {
    refresh();
    void log.read.refetch();
  };
  const state = useStream(job.data ? `/jobs/${encodeURIComponent(id)}/events` : null, {
    onEvent,
    onGap() {
      log.startAnew();
      refresh();
    },
    poll,
    pollEveryMs: POLL_EVERY_MS,
  });
  return { id, job, result, files, log, refresh, live: useLiveState(state) };
}

/** Shows a status as soon as it is told; the rest is asked for. */
function applyStatus(queries: QueryClient, summary: JobSummaryView): void {
  const key = ['job', summary.id];
  queries.setQueryData<Job>(key, (job) => job && { ...job, ...summary });
  queries.setQueryData<JobResult>([...key, 'result'], (result) => result && { ...result, status: summary.status });
}

/** What the pill says; nothing before the first connection, and where there is nothing to follow. */
function useLiveState(state: ReturnType<typeof useStream>): LiveState | null {
  const [hasBeen, setHasBeen] = useState(false);
  if (!hasBeen && state !== 'reconnecting') setHasBeen(true);
  return state === 'ended' || !hasBeen ? null : state;
}

/** Does it once for all that is asked within a moment. */
function useSoon(run: () => void, afterMs: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      run();
    }, afterMs);
  };
}
