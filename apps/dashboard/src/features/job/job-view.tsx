import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { truncateMiddle } from '../../format/index.js';
import { useShortcut } from '../../keyboard/use-shortcut.js';
import type { LogHandle } from '../../product/log/log.js';
import { BackToJobs } from '../../shell/back-to-jobs.js';
import { Page } from '../../shell/page-frame.js';
import { Badge, cx, Id, StaleNote, useMedia } from '../../ui/index.js';
import { AttemptStack } from './attempt-stack.js';
import { attemptsOf, stepAttempt } from './attempts.js';
import { Attempts } from './attempts-view.js';
import { MainAction, RetryConfirm, useJobActions } from './job-actions.js';
import { DeliveryFailure, JobStatus } from './job-delivery.js';
import { JobFacts, JobFailure } from './job-facts.js';
import { JobLog } from './job-log.js';
import { JobMenu } from './job-menu.js';
import { JobPanels, type JobTab } from './job-panels.js';
import { JobProgress } from './job-progress.js';
import type { Job, JobData } from './queries.js';
import { Related } from './related.js';

const route = getRouteApi('/app/job/$id');

/** The width below which the sidebar is a drawer and the action is at the bottom of the screen. */
const PHONE = '(width < 48rem)';
/** A longer id is shortened on a phone. */
const LENGTH_OF_UUID = 36;
/** The width from which the log and the panels are shown side by side. */
const WIDE = '(width >= 64rem)';

/** The page of an existing job. */
export function JobView({ data, job }: { data: JobData; job: Job }) {
  const actions = useJobActions(data);
  const { tab, attempt, choose } = useJobSearch();
  const isPhone = useMedia(PHONE);
  const isWide = useMedia(WIDE);
  const log = useRef<LogHandle>(null);
  const logBox = useRef<HTMLDivElement>(null);

  const result = data.result.data;
  const errorCode = result?.error?.code ?? null;
  const now = useClock(job.status === 'pending' || job.status === 'processing');
  const { lines } = data.log;
  const { status, created_at: createdAt } = job;
  const attempts = useMemo(() => attemptsOf(lines, { status, createdAt }), [lines, status, createdAt]);
  const isSandbox = providerOf(result?.result) === 'sandbox';
  const chosen = attempts.some(({ number }) => number === attempt) ? (attempt ?? null) : null;
  const chooseAttempt = (number: number | null) => choose({ attempt: number });

  const step = (by: -1 | 1) => chooseAttempt(stepAttempt(attempts, chosen, by));
  const showLog = () =>
    isWide ? logBox.current?.querySelector<HTMLElement>('[role=log]')?.focus() : choose({ tab: 'log' });
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
  const word = errorCode === 'canceled' && job.status === 'failed' ? 'Failed: canceled' : undefined;
  const logView = (
    <div ref={logBox} className="min-w-0">
      <JobLog
        ref={log}
        data={data}
        job={job}
        attempt={chosen}
        onAttempt={chooseAttempt}
        className={isWide ? 'h-[max(26rem,calc(100dvh-20rem))]' : 'h-[max(20rem,calc(100dvh-26rem))]'}
      />
    </div>
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
          <JobStatus job={job} word={actions.isCanceling ? 'Cancel requested' : word} isSandbox={isSandbox} />
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
      <AttemptStack history={data.history.data} attempts={attempts} chosen={chosen} />
      <div className={cx(isWide && 'grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] items-start gap-6')}>
        {isWide && logView}
        <div className="flex min-w-0 flex-col gap-4">
          {isWide && <Related job={job} />}
          <JobPanels
            data={data}
            job={job}
            log={isWide ? null : logView}
            tab={tab}
            onTab={(next) => choose({ tab: next })}
          />
          {!isWide && <Related job={job} />}
        </div>
      </div>
      {isPhone && (
        <div className="sticky bottom-0 z-20 -mx-4 mt-4 -mb-6 border-t border-line bg-surface px-4 py-3 empty:hidden">
          <MainAction actions={actions} className="w-full" />
        </div>
      )}
      <RetryConfirm type={job.type} actions={actions} />
    </Page>
  );
}

/** The provider that a job of a sending type names in its result. */
function providerOf(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'provider' in result ? result.provider : undefined;
}

/** Returns the search parameters of the page and a function that changes them. */
function useJobSearch() {
  const { tab, attempt } = route.useSearch();
  const navigate = route.useNavigate();
  /** A null attempt shows all attempts. It replaces the history entry, so that Back leaves the job. */
  const choose = (changed: { tab?: JobTab; attempt?: number | null }) =>
    void navigate({
      search: (now) => {
        const { attempt: next, ...rest } = { ...now, ...changed };
        return { ...rest, ...(next != null && { attempt: next }) };
      },
      replace: true,
      resetScroll: false,
    });
  return { tab, attempt, choose };
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
