import type { ListedJob, Schemas } from '@jobline/client';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { useTemplatesOf } from '../../api/use-list.js';
import { formatCount, truncateMiddle } from '../../format/index.js';
import { JobLink } from '../../product/job/job-link.js';
import { LastRuns, useSchedule } from '../../product/job/schedule.js';
import { StatusText } from '../../product/status.js';
import { useCan } from '../../session/use-session.js';
import { Fact, linkClasses, Skeleton } from '../../ui/index.js';
import { type Message, MessageLink } from './job-delivery.js';
import { LimitLink } from './job-facts.js';
import { isFinished, type Job, LISTED, useCallbacks, useEventDeliveries, useReruns, useWaiters } from './queries.js';

/** What the job belongs to and what belongs to it, as links. Nothing is shown that does not exist. */
export function Related({ job }: { job: Job }) {
  const { id, messages = [], after = [], rerun_of: rerunOf, schedule_id: schedule, callback_url: callback } = job;
  const waiters = useWaiters(job).data ?? [];
  const template = templateOf(job);
  const allWaiters = (
    <Link to="/" search={{ after: id }} className={linkClasses}>
      All jobs that start after this job
    </Link>
  );
  const rows: [string, Item[], ReactNode?][] = [
    ['Messages', messages.map(messageItem)],
    ['Rerun of', rerunOf === undefined ? [] : [jobItem(rerunOf)]],
    ['Limits', limitsOf(job).map((name) => ({ id: name, link: <LimitLink name={name} /> }))],
    ['Starts after', after.map(({ id, when, state }) => jobItem(id, CONDITIONS[when], 'condition', state))],
    ['Start after it', waiters.map(listedItem), allWaiters],
  ];
  const others = [template, schedule, callback].some((one) => one !== undefined);
  const isEmpty = !others && rows.every(([, items]) => items.length === 0);
  if (isEmpty && !isFinished(job)) return null;
  return (
    <section
      aria-label="Related"
      className="flex flex-col gap-2 rounded-card border border-line bg-surface px-4 py-3 text-body"
    >
      {!isEmpty && (
        <dl className={FACTS}>
          {rows.map(([name, items, more]) => (
            <Row key={name} name={name} items={items} more={more} />
          ))}
          {template && <TemplateFact {...template} />}
          {schedule !== undefined && <ScheduleFact id={schedule} job={job} />}
          {callback !== undefined && <CallbackFact job={job} />}
        </dl>
      )}
      {isFinished(job) && <More job={job} />}
    </section>
  );
}

const FACTS = 'grid gap-x-6 gap-y-0.5 max-sm:[&>dd]:mb-1.5 sm:grid-cols-[7rem_1fr] sm:gap-y-2';
const CHANNELS = { email: 'Email', sms: 'SMS', chat: 'Chat message' } as const;
const CONDITIONS = { done: 'when it is done', ended: 'when it is done or failed', paid: 'when it is paid' } as const;

/** One of several related things of a kind. */
interface Item {
  id: string;
  link: ReactNode;
  about?: string | undefined;
  status?: ReactNode;
}

type StatusKind = ComponentProps<typeof StatusText>['kind'];

function jobItem(id: string, about?: string, kind: StatusKind = 'job', status?: string): Item {
  return { id, about, link: <JobLink id={id} />, status: status && <StatusText kind={kind} status={status} /> };
}

const listedItem = ({ id, type, status }: ListedJob) => jobItem(id, type, 'job', status);

function messageItem(message: Message): Item {
  const { id, kind, status } = message;
  const link = (
    <MessageLink message={message} className={linkClasses}>
      {CHANNELS[kind]} <span className="font-mono text-mono">{truncateMiddle(id)}</span>
    </MessageLink>
  );
  return { id, link, status: <StatusText kind="message" status={status} /> };
}

/** The related things of a kind; nothing if there are none. `more`: shown if there are more than are listed. */
function Row({ name, items, more }: { name: string; items: readonly Item[]; more?: ReactNode }) {
  if (items.length === 0) return null;
  return (
    <Fact name={name}>
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {items.slice(0, LISTED).map(({ id, link, about, status }) => (
          <li key={id} className="inline-flex min-w-0 flex-wrap items-center gap-x-1.5">
            {link}
            {about && <span className="text-meta wrap-anywhere text-muted">{about}</span>}
            {status}
          </li>
        ))}
        {items.length > LISTED && <li>{more ?? `and ${items.length - LISTED} more`}</li>}
      </ul>
    </Fact>
  );
}

/** The limit that the submission named, and the one for which the job waits. */
function limitsOf({ limit, waiting_for: reason }: Job): string[] {
  const waitsFor = /^limit:(.*)$/.exec(reason ?? '')?.[1];
  return [...new Set([limit, waitsFor])].filter((name) => name !== undefined);
}

/** The types whose payload may name a stored template, and the kind of this template. */
const TEMPLATES: Readonly<Record<string, Schemas['TemplateSummary']['kind']>> = {
  send_email: 'email',
  send_sms: 'sms',
  generate_pdf: 'pdf',
};

function templateOf({ type, payload: { template: name } }: Job) {
  const kind = TEMPLATES[type];
  return kind && typeof name === 'string' ? { kind, name } : undefined;
}

/** A template that is built in or was deleted has no page. */
function TemplateFact({ kind, name }: NonNullable<ReturnType<typeof templateOf>>) {
  const id = useTemplatesOf(kind)?.find((template) => template.name === name)?.id;
  const link = id && (
    <Link to="/templates" search={{ id }} className={linkClasses}>
      {name}
    </Link>
  );
  return <Fact name="Template">{link ?? name}</Fact>;
}

function ScheduleFact({ id, job }: { id: string; job: Job }) {
  const { data, isError } = useSchedule(id);
  return (
    <Fact name="Schedule">
      <Link to="/schedules" search={{ id }} className={linkClasses}>
        {data?.name ?? (isError ? 'a deleted schedule' : 'a schedule')}
      </Link>
      {job.planned_at === undefined && <span className="text-muted"> · run by hand</span>}
      <LastRuns schedule={id} version={job.updated_at} />
    </Fact>
  );
}

function CallbackFact({ job }: { job: Job }) {
  const { data = [] } = useCallbacks(job);
  return (
    <Fact name="Callback">
      {job.callback_url}
      {data.map(({ id, status, attempts, last_status, last_error }) => (
        <p key={id} className="text-meta text-muted">
          <StatusText kind="delivery" status={status} /> · {formatCount(attempts, 'attempt')}
          {attempts > 0 && `, the latest: ${last_status ?? last_error ?? 'no answer'}`}
        </p>
      ))}
    </Fact>
  );
}

/** What is loaded when the user opens it. */
function More({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  const canSeeDeliveries = useCan()('webhooks');
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer text-muted">
        {canSeeDeliveries ? 'Reruns, and deliveries to webhooks' : 'Reruns'}
      </summary>
      {isOpen && (
        <dl className={`mt-2 ${FACTS}`}>
          <Reruns job={job} />
          {canSeeDeliveries && <EventDeliveries id={job.id} />}
        </dl>
      )}
    </details>
  );
}

function Reruns({ job }: { job: Job }) {
  const { data, error } = useReruns(job);
  return <LoadedRow name="Reruns" items={data?.map(listedItem)} error={error} />;
}

function EventDeliveries({ id }: { id: string }) {
  const { data, error } = useEventDeliveries(id);
  const items = data?.map(({ webhook, delivery: { id: delivery, event, status } }) => ({
    id: delivery,
    link: (
      <Link to="/webhooks" search={{ id: webhook.id, delivery }} className={linkClasses}>
        {event}
      </Link>
    ),
    about: `to ${webhook.description ?? webhook.url}`,
    status: <StatusText kind="delivery" status={status} />,
  }));
  return <LoadedRow name="Deliveries" items={items} error={error} />;
}

function LoadedRow({ name, items, error }: { name: string; items: Item[] | undefined; error: Error | null }) {
  if (items && items.length > 0) return <Row name={name} items={items} />;
  return <Fact name={name}>{items ? 'None' : (error?.message ?? <Skeleton className="w-40" />)}</Fact>;
}
