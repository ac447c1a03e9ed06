import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { failureOf } from '../../product/job/failure-advice.js';
import { JobLink } from '../../product/job/job-link.js';
import { announce, Callout, cx, Duration, linkClasses, ProgressBar, Time } from '../../ui/index.js';
import { type Attempt, spanOf } from './attempts.js';
import type { Job, JobResult } from './queries.js';

interface JobFactsProps {
  job: Job;
  result: JobResult | undefined;
  attempts: readonly Attempt[];
  now: number;
}

/** The creation time, waiting time, duration and retries of a job. */
export function JobFacts({ job, result, attempts, now }: JobFactsProps) {
  const first = attempts[0];
  const isWaiting = job.status === 'pending';
  const waitsFor = waitingWords(job.waiting_for);
  const isDue = result && Date.parse(result.run_at) <= now;
  // Waiting times do not count. Of a running job, only the current attempt does.
  const counted = job.status === 'processing' ? attempts.slice(-1) : attempts;
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
      <Fact name="created">
        <Time value={job.created_at} form="full" />
      </Fact>
      <Fact name="retries">
        {job.retries} of {job.max_retries}
      </Fact>
      {job.planned_at !== undefined && (
        <Fact name="planned for">
          <Time value={job.planned_at} form="full" />
        </Fact>
      )}
      {/* The key and the tags are links to the jobs that share them. */}
      {job.key !== undefined && (
        <Fact name="key">
          <Link to="/" search={{ key: job.key }} className={linkClasses}>
            {job.key}
          </Link>
        </Fact>
      )}
      {job.tags && (
        <Fact name="tags">
          <span className="flex flex-wrap gap-x-2">
            {job.tags.map((tag) => (
              <Link key={tag} to="/" search={{ tag }} className={linkClasses}>
                {tag}
              </Link>
            ))}
          </span>
        </Fact>
      )}
      {job.expires_at !== undefined && (
        <Fact name={Date.parse(job.expires_at) > now ? 'expires' : 'expired'}>
          <Time value={job.expires_at} />
        </Fact>
      )}
      {/* These come and go while the job waits and runs, so nothing that can be clicked follows them. */}
      {isWaiting && result && !isDue && (
        <Fact name={first ? 'next attempt' : 'due'}>
          <Time value={result.run_at} />
        </Fact>
      )}
      {(first || (isWaiting && isDue)) && (
        <Fact name={first ? 'waited' : 'waiting for'}>
          <Duration ms={first?.waitedMs ?? (isWaiting ? Math.max(0, now - Date.parse(job.created_at)) : null)} />
        </Fact>
      )}
      {first && (
        <Fact name={job.status === 'processing' ? 'running for' : 'took'}>
          <Duration ms={counted.reduce((sum, attempt) => sum + spanOf(attempt, now), 0)} />
        </Fact>
      )}
      {isWaiting && waitsFor && <Fact name="waits for">{waitsFor}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-1">
      <dt>{name}</dt>
      <dd className="text-text">{children}</dd>
    </div>
  );
}

/** How far the latest attempt is. */
export function JobProgress({ progress: { percent, text } }: { progress: NonNullable<Job['progress']> }) {
  const whole = Math.floor(percent);
  const quarter = Math.floor(percent / 25) * 25;
  useEffect(() => {
    // Rarely, so that a screen reader is not flooded.
    if (quarter > 0) announce(`Progress: ${quarter}%`);
  }, [quarter]);
  const value = `${whole}%${text ? `, ${text}` : ''}`;
  return (
    <div className="mb-4 flex flex-col gap-1">
      <ProgressBar label="Progress of the job" value={percent} max={100} text={value} />
      <p className="flex gap-2 text-meta text-muted tabular-nums">
        <span className="shrink-0">{whole}%</span>
        <span className="line-clamp-2 wrap-anywhere">{text}</span>
      </p>
    </div>
  );
}

/** The error of a failed job with its meaning and the next step. */
export function JobFailure({ job, error }: { job: Job; error: NonNullable<JobResult['error']> }) {
  const { meaning, nextStep } = failureOf(job.type, error.code);
  const isCanceled = error.code === 'canceled';
  const causes = error.code === 'dependency_failed' ? job.after?.filter(({ state }) => state === 'failed') : undefined;
  return (
    <Callout tone={isCanceled ? 'warning' : 'danger'} className="mb-4">
      <p>
        <code className="font-mono text-mono font-semibold">{error.code}</code>: {meaning}.{' '}
        {nextStep && <span>{nextStep}</span>}
        {causes?.map(({ id }) => (
          <span key={id}>
            {' '}
            Open <JobLink id={id} className="underline" />.
          </span>
        ))}
      </p>
      {!isCanceled && error.message && <ErrorMessage text={error.message} />}
    </Callout>
  );
}

/** A message of an error: its first lines, and the others when the user asks for them. */
export function ErrorMessage({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  return (
    <>
      <p
        ref={(shown) => setCut((shown?.scrollHeight ?? 0) > (shown?.clientHeight ?? 0))}
        className={cx('mt-1 font-mono text-mono wrap-anywhere text-muted', !isWhole && 'line-clamp-4')}
      >
        {text}
      </p>
      {isCut && (
        <button type="button" onClick={() => setWhole(true)} className={cx(linkClasses, 'hit')}>
          Show the whole message
        </button>
      )}
    </>
  );
}

/** What a pending job waits for, in words; null if it is about to start or if the page shows the time instead. */
export function waitingWords(reason: Job['waiting_for']): ReactNode {
  const [, kind, name = ''] = /^(job|limit):(.*)$/.exec(reason ?? '') ?? [];
  if (kind === 'job') {
    return (
      <>
        the job <JobLink id={name} className="underline" />
      </>
    );
  }
  if (kind === 'limit') {
    return (
      <>
        the limit <LimitLink name={name} className="underline" />
      </>
    );
  }
  return REASONS[reason ?? ''] ?? null;
}

export function LimitLink({ name, className }: { name: string; className?: string }) {
  return (
    <Link to="/limits" search={{ name }} className={cx(linkClasses, className)}>
      {name}
    </Link>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  org_limit: 'other jobs of your organization to finish',
  queue: 'a free worker',
  worker: 'a worker with a handler for its type: none is running',
};
