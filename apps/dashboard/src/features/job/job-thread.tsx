import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { JobLink } from '../../product/job/job-link.js';
import { meaningOf } from '../../product/status.js';
import { cx, linkClasses, TONE_TEXT } from '../../ui/index.js';
import { type Job, LISTED_WAITERS, useWaiters } from './queries.js';

/** The jobs for which the job waits or waited, and those that wait for it. Nothing is shown if there are none. */
export function JobThread({ job }: { job: Job }) {
  const { data: waiters = [] } = useWaiters(job.id);
  const { after = [] } = job;
  if (after.length === 0 && waiters.length === 0) return null;
  return (
    <section aria-label="Jobs before and after" className="mb-4 flex flex-col gap-2 md:flex-row md:items-center">
      {after.length > 0 && (
        <>
          <Group title={after.length === 1 ? 'Starts after this one' : 'Starts after all of these'}>
            {after.map(({ id, when, state }) => (
              <Item key={id} id={id} about={CONDITION_WORDS[when]} kind="condition" status={state} />
            ))}
          </Group>
          <Arrow />
        </>
      )}
      <div className="rounded-card border border-accent bg-accent-soft px-3 py-2">
        <p className="font-medium">This job</p>
        <Status kind="job" status={job.status} />
      </div>
      {waiters.length > 0 && (
        <>
          <Arrow />
          <Group title="Start after this job">
            {waiters.slice(0, LISTED_WAITERS).map(({ id, type, status }) => (
              <Item key={id} id={id} about={type} kind="job" status={status} />
            ))}
            {waiters.length > LISTED_WAITERS && (
              <li className="flex min-h-row items-center px-3">
                <Link to="/" search={{ after: job.id }} className={linkClasses}>
                  All jobs that start after this job
                </Link>
              </li>
            )}
          </Group>
        </>
      )}
    </section>
  );
}

const CONDITION_WORDS = {
  done: 'when it is done',
  ended: 'when it is done or failed',
  paid: 'when it is paid',
} as const;

/** A list in a box, which scrolls if it is long. */
function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0 overflow-clip rounded-card border border-line bg-surface md:max-w-xl md:flex-1">
      <h2 className="border-b border-line px-3 py-1.5 text-meta font-medium text-muted">{title}</h2>
      <ul className="max-h-46 divide-y divide-line overflow-y-auto">{children}</ul>
    </div>
  );
}

interface StatusProps {
  kind: 'condition' | 'job';
  status: string;
}

function Item({ id, about, ...status }: { id: string; about: string } & StatusProps) {
  return (
    <li className="flex min-h-row items-center gap-2 px-3">
      <JobLink id={id} className="shrink-0" />
      <span className="min-w-0 truncate text-meta text-muted">{about}</span>
      <span className="ml-auto shrink-0">
        <Status {...status} />
      </span>
    </li>
  );
}

/** Without the tooltip of a badge, so that the keyboard stops only at the links. */
function Status({ kind, status }: StatusProps) {
  const { word, icon: Icon, tone } = meaningOf(kind, status);
  return (
    <span className={cx('inline-flex items-center gap-1.5 text-meta font-medium', TONE_TEXT[tone])}>
      <Icon aria-hidden="true" size={14} className="shrink-0" />
      {word}
    </span>
  );
}

function Arrow() {
  return <ArrowRight aria-hidden="true" size={16} className="shrink-0 rotate-90 self-center text-muted md:rotate-0" />;
}
