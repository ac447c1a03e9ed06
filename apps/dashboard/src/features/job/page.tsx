import { JoblineError } from '@jobline/client';
import { getRouteApi } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { isObject, truncateMiddle } from '../../format/index.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import { Log, type LogHandle } from '../../product/log/log.js';
import { SANDBOX } from '../../product/message/message-status.js';
import { BackToJobs } from '../../shell/back-link.js';
import { LoadError } from '../../shell/load-error.js';
import { GoToJobs, Page } from '../../shell/page-frame.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import { Badge, cx, EmptyState, Id, Skeleton, StaleNote, useMedia } from '../../ui/index.js';
import { attemptsOf, stepAttempt } from './attempts.js';
import { Attempts } from './attempts-view.js';
import { MainAction, useJobActions } from './job-actions.js';
import { DeliveryFailure, JobStatus } from './job-delivery.js';
import { JobFacts, JobFailure, JobProgress } from './job-facts.js';
import { JobMenu } from './job-menu.js';
import { JobPanels, type JobTab } from './job-panels.js';
import { type Job, type JobData, useJob } from './queries.js';
import { Related } from './related.js';

const route = getRouteApi('/app/job/$id');

export function JobPage() {
  const { id } = route.useParams();
  // The key resets all state, so that nothing of one job is shown for another.
  return <OneJob key={id} id={id} />;
}

function OneJob({ id }: { id: string }) {
  const data = useJob(id);
  const { data: job, error } = data.job;
  // Everything above the log is shown at the same time, so that the log does not move later.
  const isReady =
    (job?.status !== 'failed' || !data.result.isPending) && (data.log.isKnown || data.log.read.failureCount > 0);
  if (job && isReady) return <JobView data={data} job={job} />;
  if (error instanceof JoblineError && error.status === 404) {
    return (
      <Page title="Job not found" back={<BackToJobs />}>
        <EmptyState
          icon={<SearchX />}
          title="No job of your organization has this ID."
          actions={<GoToJobs variant="primary" />}
        >
          <p className="font-mono text-mono wrap-anywhere">{id}</p>
          <p className="mt-1">
            It may have been deleted after the retention period, or belong to another of your organizations.
          </p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page title="Job" back={<BackToJobs />} description={error ? null : <Skeleton className="my-1 w-80 max-w-full" />}>
      {error ? (
        <LoadError of={data.job} />
      ) : (
        // The same layout and height as the page.
        <div role="status" aria-label="Loading the job">
          <Skeleton className="mb-4 h-9 w-full" />
          <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Skeleton className="h-[max(26rem,calc(100dvh-20rem))] w-full rounded-card" />
            <Skeleton className="h-64 w-full rounded-card max-lg:hidden" />
          </div>
        </div>
      )}
    </Page>
  );
}

/** The width below which the sidebar is a drawer and the action is at the bottom of the screen. */
const PHONE = '(width < 48rem)';
/** A longer id is shortened on a phone. */
const LENGTH_OF_UUID = 36;
/** The width from which the log and the panels are shown side by side. */
const WIDE = '(width >= 64rem)';

function JobView({ data, job }: { data: JobData; job: Job }) {
  const actions = useJobActions(data, job);
  const { tab, attempt } = route.useSearch();
  /** The history entry is replaced, so that Back leaves the job. */
  const choose = useSearchChange<{ tab?: JobTab; attempt?: number }>({ replace: true });
  const isPhone = useMedia(PHONE);
  const isWide = useMedia(WIDE);
  const log = useRef<LogHandle>(null);

  const result = data.result.data;
  const isCanceled = job.status === 'failed' && result?.error?.code === 'canceled';
  const now = useClock(job.status === 'pending' || job.status === 'processing');
  const { lines } = data.log;
  const { status, created_at: createdAt } = job;
  const attempts = useMemo(() => attemptsOf(lines, { status, createdAt }), [lines, status, createdAt]);
  const sent = result?.result;
  const isSandbox = isObject(sent) && sent.provider === SANDBOX;
  const chosen = attempts.some(({ number }) => number === attempt) ? (attempt ?? null) : null;
  const chooseAttempt = (number: number | null) => choose({ attempt: number ?? undefined });

  const step = (by: -1 | 1) => chooseAttempt(stepAttempt(attempts, chosen, by));
  const showLog = () => (isWide ? log.current?.focus() : choose({ tab: 'log' }));
  const group = 'Job';
  useShortcut({ keys: 'f', label: 'Follow the log', group, run: () => log.current?.toggleFollow() });
  useShortcut({ keys: 'w', label: 'Wrap lines', group, run: () => log.current?.toggleWrap() });
  useShortcut({ keys: '[', label: 'Previous attempt', group, run: () => step(-1) });
  useShortcut({ keys: ']', label: 'Next attempt', group, run: () => step(1) });
  useShortcut({ keys: '1', label: 'Log', group, run: showLog });
  useShortcut({ keys: '2', label: 'Payload', group, run: () => choose({ tab: 'payload' }) });
  useShortcut({ keys: '3', label: 'Result', group, run: () => choose({ tab: 'result' }) });
  useShortcut({ keys: '4', label: 'Files', group, run: () => choose({ tab: 'files' }) });

  const nextAt = job.status === 'pending' ? Date.parse(result?.run_at ?? job.created_at) : null;
  const word = actions.isCanceling ? 'Cancel requested' : isCanceled ? 'Failed: canceled' : undefined;
  const logView = (
    <Log
      ref={log}
      job={job}
      lines={lines}
      live={data.live}
      empty={<EmptyLog data={data} job={job} />}
      attempt={chosen}
      onAttempt={chooseAttempt}
      className={isWide ? 'h-[max(26rem,calc(100dvh-20rem))]' : 'h-[max(20rem,calc(100dvh-26rem))]'}
    />
  );
  return (
    <Page
      isWide
      title={job.type}
      tab={`${job.type} ${truncateMiddle(job.id)}`}
      back={<BackToJobs />}
      aside={
        <>
          <Id value={job.id} what="job ID" keep={isPhone ? LENGTH_OF_UUID : 0} />
          <JobStatus job={job} word={word} isSandbox={isSandbox} />
          {isSandbox && <Badge tone="warning">Sandbox: recorded, not sent</Badge>}
          {data.job.isError && <StaleNote asOf={data.job.dataUpdatedAt} />}
        </>
      }
      actions={
        <>
          {!isPhone && <MainAction actions={actions} />}
          <JobMenu job={job} result={result} refresh={data.refresh} />
        </>
      }
      description={<JobFacts job={job} result={result} attempts={attempts} now={now} />}
    >
      {job.status !== 'done' && job.progress && <JobProgress progress={job.progress} />}
      {job.status === 'failed' && result?.error && <JobFailure job={job} error={result.error} />}
      <DeliveryFailure job={job} />
      <Attempts
        isKnown={data.log.isKnown}
        attempts={attempts}
        history={data.history.data}
        now={now}
        nextAt={nextAt}
        chosen={chosen}
        onChoose={chooseAttempt}
      />
      <div className={cx(isWide && 'grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] items-start gap-6')}>
        {isWide && logView}
        <div className="flex min-w-0 flex-col gap-4">
          {isWide && <Related job={job} />}
          <JobPanels data={data} job={job} log={isWide ? null : logView} tab={tab} onTab={(tab) => choose({ tab })} />
          {!isWide && <Related job={job} />}
        </div>
      </div>
      {isPhone && (
        <div className="sticky bottom-0 z-20 -mx-4 mt-4 -mb-6 border-t border-line bg-surface px-4 py-3 empty:hidden">
          <MainAction actions={actions} className="w-full" />
        </div>
      )}
      {actions.confirmation}
    </Page>
  );
}

/** Why the log of a job has no lines. */
function EmptyLog({ data: { log, result }, job: { status } }: { data: JobData; job: Job }) {
  if (log.read.isPending) {
    return (
      <div role="status" aria-label="Loading the log" className="flex flex-col gap-2.5">
        {['w-2/3', 'w-1/2', 'w-3/4', 'w-2/5', 'w-3/5'].map((width) => (
          <Skeleton key={width} className={width} />
        ))}
      </div>
    );
  }
  if (log.read.isError) return <LoadError of={log.read} />;
  if (status === 'pending') {
    const isDue = !result.data || Date.parse(result.data.run_at) <= Date.now();
    return `Waiting ${isDue ? 'to start' : 'for the scheduled time'}. The log will appear here.`;
  }
  if (status === 'processing') return 'A worker is running the job. There are no log lines yet.';
  const isCanceled = status === 'failed' && result.data?.error?.code === 'canceled';
  return isCanceled ? 'The job was canceled before it started.' : 'The job wrote no log lines.';
}

/** Returns the current time, updated every second while `isRunning` is true. */
function useClock(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const tick = () => setNow(Date.now());
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
