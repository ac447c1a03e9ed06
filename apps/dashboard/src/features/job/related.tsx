import type { Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTemplatesOf } from '../../api/use-list.js';
import { formatCount, truncateMiddle } from '../../format/index.js';
import { JobLink } from '../../product/job/job-link.js';
import { LastRuns } from '../../product/job/last-runs.js';
import { StatusText } from '../../product/status.js';
import { useApi } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { cx, Fact, linkClasses, Skeleton, Time } from '../../ui/index.js';
import { MessageLink } from './job-delivery.js';
import { type Job, LISTED, useCallbacks, useEventDeliveries, useReruns, useWaiters } from './queries.js';

/** What the job belongs to and what belongs to it, as links. Nothing is shown that does not exist. */
export function Related({ job }: { job: Job }) {
  const { id, status, messages = [], after = [], rerun_of: rerunOf, schedule_id: schedule, callback_url: callback } = job;
  const { data: waiters = [] } = useWaiters(id);
  const isFinished = status === 'done' || status === 'failed';
  const template = templateOf(job);
  const limits = limitsOf(job);
  const facts = [
    messages.length > 0 && (
      <Links key="messages" name={messages.length === 1 ? 'Message' : 'Messages'} more={messages.length - LISTED}>
        {messages.slice(0, LISTED).map((message) => (
          <li key={message.id} className={ITEM}>
            <MessageLink message={message} className={linkClasses}>
              {CHANNELS[message.kind]} <span className="font-mono text-mono">{truncateMiddle(message.id)}</span>
            </MessageLink>
            <StatusText kind="message" status={message.status} />
          </li>
        ))}
      </Links>
    ),
    template && (
      <Fact key="template" name="Template">
        <TemplateLink {...template} />
      </Fact>
    ),
    schedule !== undefined && <ScheduleFact key="schedule" id={schedule} job={job} />,
    rerunOf !== undefined && (
      <Fact key="rerun" name="Rerun of">
        <JobLink id={rerunOf} />
      </Fact>
    ),
    limits.length > 0 && (
      <Links key="limits" name={limits.length === 1 ? 'Limit' : 'Limits'}>
        {limits.map((name) => (
          <li key={name} className={ITEM}>
            <Link to="/limits" search={{ name }} className={linkClasses}>
              {name}
            </Link>
          </li>
        ))}
      </Links>
    ),
    after.length > 0 && (
      <Links key="after" name="Starts after">
        {after.map(({ id: other, when, state }) => (
          <JobItem key={other} id={other} about={CONDITION_WORDS[when]} kind="condition" status={state} />
        ))}
      </Links>
    ),
    waiters.length > 0 && (
      <Links key="waiters" name="Start after it">
        {waiters.slice(0, LISTED).map((waiter) => (
          <JobItem key={waiter.id} id={waiter.id} about={waiter.type} kind="job" status={waiter.status} />
        ))}
        {waiters.length > LISTED && (
          <li>
            <Link to="/" search={{ after: id }} className={linkClasses}>
              All jobs that start after this job
            </Link>
          </li>
        )}
      </Links>
    ),
    callback !== undefined && <CallbackFact key="callback" id={id} url={callback} />,
  ].filter(Boolean);
  if (facts.length === 0 && !isFinished) return null;
  return (
    <section aria-label="Related" className="rounded-card border border-line bg-surface px-4 py-3 text-body">
      {facts.length > 0 && <dl className={FACTS}>{facts}</dl>}
      {isFinished && <More id={id} className={facts.length > 0 ? 'mt-2 border-t border-line pt-2' : ''} />}
    </section>
  );
}

const FACTS = 'grid gap-x-6 gap-y-0.5 max-sm:[&>dd]:mb-1.5 sm:grid-cols-[7rem_1fr] sm:gap-y-2';
const ITEM = 'inline-flex min-w-0 flex-wrap items-center gap-x-1.5';
const CHANNELS = { email: 'Email', sms: 'SMS', chat: 'Chat message' } as const;
const CONDITION_WORDS = {
  done: 'when it is done',
  ended: 'when it is done or failed',
  paid: 'when it is paid',
} as const;

/** `more`: how many are not shown. */
function Links({ name, more = 0, children }: { name: string; more?: number; children: ReactNode }) {
  return (
    <Fact name={name}>
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {children}
        {more > 0 && <li className="text-muted">and {more.toLocaleString()} more</li>}
      </ul>
    </Fact>
  );
}

function JobItem({ id, about, ...status }: { id: string; about: string; kind: 'condition' | 'job'; status: string }) {
  return (
    <li className={ITEM}>
      <JobLink id={id} />
      <span className="text-meta wrap-anywhere text-muted">{about}</span>
      <StatusText {...status} />
    </li>
  );
}

/** The types whose payload may name a stored template, and the kind of this template. */
const TEMPLATES: Readonly<Record<string, Schemas['TemplateSummary']['kind']>> = {
  send_email: 'email',
  send_sms: 'sms',
  generate_pdf: 'pdf',
};

function templateOf({ type, payload }: Job) {
  const kind = TEMPLATES[type];
  const { template: name } = payload;
  return kind && typeof name === 'string' ? { kind, name } : null;
}

function TemplateLink({ kind, name }: NonNullable<ReturnType<typeof templateOf>>) {
  const template = useTemplatesOf(kind)?.find((one) => one.name === name);
  if (!template) return name; // deleted, or built in
  return (
    <Link to="/templates" search={{ id: template.id }} className={linkClasses}>
      {name}
    </Link>
  );
}

/** The limit that the submission named, and the one for which the job waits. */
function limitsOf({ limit, waiting_for: reason }: Job): string[] {
  const [, waitsFor] = /^limit:(.*)$/.exec(reason ?? '') ?? [];
  return [...new Set([limit, waitsFor])].filter((name) => name !== undefined);
}

function ScheduleFact({ id, job }: { id: string; job: Job }) {
  const api = useApi();
  const { data, isError } = useQuery({
    queryKey: ['listSchedules', id],
    queryFn: ({ signal }) => api.schedules.get(id, { signal }),
    retry: false,
  });
  return (
    <Fact name="Schedule">
      <p>
        <Link to="/schedules" search={{ id }} className={linkClasses}>
          {data?.name ?? (isError ? 'a deleted schedule' : 'a schedule')}
        </Link>
        {job.planned_at === undefined && <span className="text-muted"> · run by hand</span>}
      </p>
      <LastRuns schedule={id} version={job.updated_at} />
    </Fact>
  );
}

function CallbackFact({ id, url }: { id: string; url: string }) {
  const { data = [] } = useCallbacks(id);
  return (
    <Fact name="Callback">
      <p className="wrap-anywhere">{url}</p>
      {data.map((delivery) => (
        <p key={delivery.id} className="text-meta text-muted">
          <StatusText kind="delivery" status={delivery.status} /> · {answerOf(delivery)}
          {delivery.next_attempt_at && (
            <>
              {' '}
              · next attempt <Time value={delivery.next_attempt_at} />
            </>
          )}
        </p>
      ))}
    </Fact>
  );
}

/** `4 attempts, the latest: 503`. */
function answerOf({ attempts, last_status: status, last_error: error }: Schemas['Delivery']): string {
  const latest = status ?? error;
  return `${formatCount(attempts, 'attempt')}${latest === null ? '' : `, the latest: ${latest}`}`;
}

/** What is loaded when the user opens it. */
function More({ id, className }: { id: string; className: string }) {
  const [isOpen, setOpen] = useState(false);
  const canSeeDeliveries = useCan()('webhooks');
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className={className}>
      <summary className="cursor-pointer text-muted">
        {canSeeDeliveries ? 'Reruns, and deliveries to webhooks' : 'Reruns'}
      </summary>
      {isOpen && (
        <dl className={cx('mt-2', FACTS)}>
          <RerunsFact id={id} />
          {canSeeDeliveries && <DeliveriesFact id={id} />}
        </dl>
      )}
    </details>
  );
}

function RerunsFact({ id }: { id: string }) {
  const { data } = useReruns(id);
  return (
    <Links name="Reruns">
      {data ? data.length === 0 && <li>None</li> : <Skeleton className="w-40" />}
      {data?.map((rerun) => (
        <JobItem key={rerun.id} id={rerun.id} about={rerun.type} kind="job" status={rerun.status} />
      ))}
    </Links>
  );
}

function DeliveriesFact({ id }: { id: string }) {
  const { data, error } = useEventDeliveries(id);
  return (
    <Links name="Deliveries">
      {error ? <li>{error.message}</li> : !data && <Skeleton className="w-40" />}
      {data?.length === 0 && <li>None</li>}
      {data?.map(({ webhook, delivery: { id: delivery, event, status } }) => (
        <li key={delivery} className={ITEM}>
          <Link to="/webhooks" search={{ id: webhook.id, delivery }} className={linkClasses}>
            {event}
          </Link>
          <span className="text-meta text-muted">to {webhook.description ?? new URL(webhook.url).host}</span>
          <StatusText kind="delivery" status={status} />
        </li>
      ))}
    </Links>
  );
}
