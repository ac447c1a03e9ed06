import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { meaningOf, StatusBadge } from '../../product/status.js';
import { Badge, Callout, inTextClasses } from '../../ui/index.js';
import { ErrorMessage } from './job-facts.js';
import type { Job } from './queries.js';

export type Message = NonNullable<Job['messages']>[number];

/** The worst first. */
const RANKS: readonly string[] = ['complained', 'bounced', 'failed', 'queued', 'sent', 'delivered'];
const BAD = RANKS.slice(0, 3);

/** The message of the job that the user should know about, and how many have its status; undefined: it has none. */
function worstOf({ messages = [] }: Job): { message: Message; count: number; isBad: boolean } | undefined {
  const [message] = [...messages].sort((a, b) => RANKS.indexOf(a.status) - RANKS.indexOf(b.status));
  if (!message) return undefined;
  const count = messages.filter(({ status }) => status === message.status).length;
  return { message, count, isBad: BAD.includes(message.status) };
}

interface JobStatusProps {
  job: Job;
  /** Replaces the word for the status. */
  word: string | undefined;
  /** Whether its messages were recorded, and not sent. */
  isSandbox: boolean;
}

/** The status of a job, followed by what became of its messages. A job whose message did not arrive is not shown as done. */
export function JobStatus({ job, word, isSandbox }: JobStatusProps) {
  const status = <StatusBadge kind="job" status={job.status} word={word} />;
  const worst = worstOf(job);
  if (!worst || (isSandbox && worst.message.status === 'sent')) return status;
  const { message, count, isBad } = worst;
  const { word: delivery, icon, tone } = meaningOf('message', message.status);
  const all = job.messages?.length ?? 1;
  const isMerged = isBad && job.status === 'done';
  return (
    <>
      {!isMerged && status}
      <MessageLink message={message} className="hit rounded-full">
        <Badge tone={tone} icon={icon}>
          {isMerged ? `Done · ${delivery.toLowerCase()}` : delivery}
          {all > 1 && `: ${count} of ${all}`}
        </Badge>
      </MessageLink>
    </>
  );
}

/** Why a message of a job that is done did not arrive. The error of a failed job says it, too. */
export function DeliveryFailure({ job }: { job: Job }) {
  const worst = worstOf(job);
  if (!worst?.isBad || job.status === 'failed') return null;
  const { word, meaning } = meaningOf('message', worst.message.status);
  return (
    <Callout tone="danger" className="mb-4">
      <p>
        <strong className="font-semibold">{word}</strong>: {meaning}{' '}
        <MessageLink message={worst.message} className={inTextClasses}>
          Open the message
        </MessageLink>
      </p>
      {worst.message.error && <ErrorMessage text={worst.message.error.message} />}
    </Callout>
  );
}

const PAGES = { email: '/email', sms: '/sms', chat: '/chat' } as const;

interface MessageLinkProps {
  message: Message;
  className: string;
  children: ReactNode;
}

export function MessageLink({ message: { id, kind }, className, children }: MessageLinkProps) {
  return (
    <Link to={PAGES[kind]} search={{ id }} className={className}>
      {children}
    </Link>
  );
}
