import type { Jobline, Page, Schemas } from '@jobline/client';
import type { JobStatusView, LogEntryView } from '@jobline/contracts';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useApi, useServices } from '../../services.js';
import type { StreamEvent } from '../../streams/streams.js';
import { useStream } from '../../streams/use-stream.js';
import { useDelayed } from '../../ui/use-latest.js';

export type Job = Schemas['Job'];
export type JobResult = Schemas['JobResult'];
export type JobData = ReturnType<typeof useJob>;

export function isFinished({ status }: Job): boolean {
  return status === 'done' || status === 'failed';
}

const POLL_EVERY_MS = 2_000;
const WAITING_POLL_EVERY_MS = 5_000;
const MAX_REFETCH_EVERY_MS = 3_600_000;
const REFRESH_AFTER_MS = 200;

/** Loads a job, its result, files and log, and keeps them up to date with the job's event stream. */
export function useJob(id: string) {
  const { api, queries } = useServices();
  const job = useQuery({
    queryKey: ['job', id],
    queryFn: () => api.jobs.get(id),
    refetchInterval: ({ state: { data } }) => data !== undefined && refetchEveryMs(data),
  });
  // Read after the job, so that they are not older: the first event of the stream then need not refetch them.
  const enabled = job.data !== undefined;
  const result = useQuery({ queryKey: ['job', id, 'result'], queryFn: () => api.jobs.result(id), enabled });
  const files = useQuery({
    queryKey: ['job', id, 'files'],
    queryFn: async () => (await api.jobs.artifacts.list(id)).data,
    enabled,
  });
  // More attempts have only jobs that were retried by hand very often.
  const history = useQuery({
    queryKey: ['job', id, 'attempts'],
    queryFn: async () => (await api.jobs.attempts(id, { limit: PAGE_SIZE })).data,
    enabled,
  });
  const log = useJobLog(id);

  const refresh = () => void queries.invalidateQueries({ queryKey: ['job', id] });
  const refreshSoon = useDelayed(refresh, REFRESH_AFTER_MS);
  const onEvent = ({ name, data }: StreamEvent) => {
    // The casts: the API's documentation defines the data of its events.
    if (name === 'log') {
      const line = JSON.parse(data) as LogEntryView;
      const isNew = log.add(line);
      // After a job has finished, a new line may announce a new result: the outcome of a payment.
      // What comes before the log was read is not new, unless it is later than the job.
      if (isNew && job.data?.status === 'done' && (log.read.isSuccess || line.timestamp > job.data.updated_at))
        refreshSoon();
    } else if (name === 'status') {
      const status = JSON.parse(data) as JobStatusView;
      const isKnown = status.updated_at === job.data?.updated_at && status.status === job.data.status;
      // At most the progress is new.
      if (!isKnown || status.progress) applyStatus(queries, status);
      if (!isKnown) refreshSoon();
    }
  };
  const poll = () => {
    refresh();
    void log.read.refetch();
  };
  const state = useStream({
    job: id,
    enabled,
    onEvent,
    onGap() {
      log.restart();
      refresh();
    },
    poll,
    pollEveryMs: POLL_EVERY_MS,
  });
  const [hasBeen, setHasBeen] = useState(false);
  if (!hasBeen && state !== 'reconnecting') setHasBeen(true);
  /** Null before the first connection and if there is nothing to follow. */
  const live = state === 'ended' || !hasBeen ? null : state;
  return { id, job, result, files, history, log, refresh, live };
}

/** What the job waits for, and the reports about its messages, change without an event. */
function refetchEveryMs(job: Job): number | false {
  if (job.status === 'pending') return WAITING_POLL_EVERY_MS;
  return !!job.messages?.some(({ status }) => status === 'queued' || status === 'sent') && slowlyMs(job);
}

/** The interval for what may never come: the older the job is, the longer. */
function slowlyMs({ updated_at: at }: Job): number {
  return Math.min(MAX_REFETCH_EVERY_MS, Math.max(WAITING_POLL_EVERY_MS, (Date.now() - Date.parse(at)) / 20));
}

/** Of each kind of related things, so many are listed on the page of a job. */
export const LISTED = 10;

/** The newest things of a kind that belong to a job. Those that have not ended change without an event of this job, and failed ones may. */
function useOfJob<Row extends { status: string }>(
  job: Job,
  what: string,
  read: (api: Jobline) => Promise<Page<Row>>,
  isExpected = false,
) {
  const api = useApi();
  return useQuery({
    queryKey: ['job', job.id, what],
    queryFn: async () => (await read(api)).data,
    refetchInterval({ state: { data = [] } }) {
      if (data.some(({ status }) => status === 'pending' || status === 'processing')) return WAITING_POLL_EVERY_MS;
      const mayChange = data.some(({ status }) => status === 'failed') || (isExpected && data.length === 0);
      return mayChange && slowlyMs(job);
    },
  });
}

// One more than are listed, if there are more.
const limit = LISTED + 1;

/** The jobs that name the job in `after`. */
export const useWaiters = (job: Job) => useOfJob(job, 'waiters', ({ jobs }) => jobs.list({ after: job.id, limit }));
export const useReruns = (job: Job) => useOfJob(job, 'reruns', ({ jobs }) => jobs.list({ rerun_of: job.id, limit }));
export const useCallbacks = (job: Job) =>
  useOfJob(job, 'callbacks', ({ jobs }) => jobs.callbacks(job.id, { limit: 3 }), true);

/** The newest deliveries of events about a job to each webhook. A webhook needs one request: an organization has at most 20. */
export function useEventDeliveries(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['job', id, 'deliveries'],
    async queryFn() {
      const webhooks = (await api.webhooks.list()).data;
      const deliveriesTo = (webhook: Schemas['Webhook']) =>
        api.webhooks.deliveries(webhook.id, { job: id, limit: LISTED });
      const pages = await Promise.all(webhooks.map(deliveriesTo));
      return webhooks.flatMap((webhook, n) => pages[n]?.data.map((delivery) => ({ webhook, delivery })) ?? []);
    },
  });
}

/** Shows a new status immediately. The caller then refetches the other data. */
function applyStatus(queries: QueryClient, summary: JobStatusView): void {
  const key = ['job', summary.id];
  queries.setQueryData<Job>(key, (job) => {
    if (!job) return job;
    // A new attempt begins without the progress of the one before.
    const { progress: _, ...rest } = job;
    return { ...rest, ...summary };
  });
  queries.setQueryData<JobResult>([...key, 'result'], (result) => result && { ...result, status: summary.status });
}

type Line = Schemas['LogEntry'];

interface Reading {
  lines: readonly Line[];
  /** The cursor of the last line, for the parameter `after`. */
  cursor: string | null;
}

const PAGE_SIZE = 1_000;
const SHOW_EVERY_MS = 50;

/**
 * Loads a job's log from two sources: page by page (when the page opens and while the stream is not available) and from
 * the stream. Both deliver the same lines from the first line on, so the longer source is the log.
 */
function useJobLog(id: string) {
  const { api, queries } = useServices();
  const queryKey = ['job-log', id];
  const read = useQuery({
    queryKey,
    queryFn: () => readMore(api, id, queries.getQueryData<Reading>(queryKey)),
  });

  const readSoFar = read.data?.lines ?? [];
  const streamed = useRef<Line[]>([]);
  const [shown, setShown] = useState<readonly Line[]>([]);
  // Lines arrive in bursts of thousands, and the page renders once per burst.
  const showSoon = useDelayed(() => {
    const received = streamed.current;
    setShown((now) => (received.length >= now.length ? [...received] : now));
  }, SHOW_EVERY_MS);
  /** Returns whether the line was not read before. */
  const add = (line: Line) => {
    showSoon();
    return streamed.current.push(line) > readSoFar.length;
  };

  /** The stream starts again with the first line. */
  const restart = () => {
    streamed.current = [];
  };

  const lines = shown.length >= readSoFar.length ? shown : readSoFar;
  return { lines, read, add, restart, isKnown: lines.length > 0 || read.isSuccess };
}

/** Reads all lines after those that were read before. */
async function readMore(api: Jobline, id: string, previous: Reading | undefined): Promise<Reading> {
  let { lines, cursor }: Reading = previous ?? { lines: [], cursor: null };
  for (;;) {
    const query = { limit: PAGE_SIZE, detail: 'full' as const, ...(cursor !== null && { after: cursor }) };
    const { data, nextCursor } = await api.jobs.logs(id, query);
    cursor = nextCursor ?? cursor;
    if (data.length > 0) lines = [...lines, ...data];
    if (data.length < PAGE_SIZE) return { lines, cursor };
  }
}
