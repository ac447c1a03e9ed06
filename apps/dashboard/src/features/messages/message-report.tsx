import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { MessageStatusBadge, SANDBOX } from '../../product/message/message-status.js';
import { LoadError } from '../../shell/load-error.js';
import { Callout, Dialog, Fact, Id, linkClasses, Skeleton, Time } from '../../ui/index.js';
import { ReportSteps } from './delivery-steps.js';
import type { ChatMessageDetail, SmsDetail } from './model.js';

type Detail = SmsDetail | ChatMessageDetail;

interface MessageReportProps<T extends Detail> {
  of: ComponentProps<typeof LoadError>['of'] & { data?: T | undefined };
  channel: 'sms' | 'chat';
  onClose: () => void;
  /** The content of the message. */
  content: (message: T) => ReactNode;
  /** The facts that only messages of this channel have, as `Fact`. */
  facts?: (message: T) => ReactNode;
}

/** How messages of a channel are called, and the variable that chooses their provider. */
const WORDS = {
  chat: { one: 'chat message', One: 'Chat message', many: 'chat messages', variable: 'CHAT_PROVIDER' },
  sms: { one: 'SMS', One: 'SMS', many: 'SMS', variable: 'SMS_PROVIDER' },
} as const;

/** The delivery report of one message, with its steps, error and ids. */
export function MessageReport<T extends Detail>({ of, channel, onClose, content, facts }: MessageReportProps<T>) {
  const { data, error } = of;
  return (
    <Dialog
      side="right"
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delivery report"
      description={data?.to}
    >
      {data ? (
        <div className="flex flex-col gap-6">
          <Outcome message={data} channel={channel} />
          <Section title="Steps">
            <ReportSteps message={data} />
          </Section>
          <Section title="Message">{content(data)}</Section>
          <Section title="Details">
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2 text-body [&>dt]:text-meta">
              {facts?.(data)}
              <CommonFacts message={data} />
            </dl>
          </Section>
        </div>
      ) : error ? (
        <LoadError
          of={of}
          notFound={`${WORDS[channel].One} not found. It may have been deleted after the retention period.`}
        />
      ) : (
        <div role="status" aria-label="Loading the report" className="flex flex-col gap-6 pt-2">
          <Skeleton className="h-6 w-32" />
          <Skeleton className="h-24 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      )}
    </Dialog>
  );
}

function Outcome({ message, channel }: { message: Detail; channel: 'sms' | 'chat' }) {
  const { provider, error } = message;
  const { one, many, variable } = WORDS[channel];
  const titles: Readonly<Record<string, string>> = {
    provider_rejected: `The provider rejected the ${one}`,
    provider_unavailable: 'The provider did not answer',
    unknown_effect: `It is unknown whether the ${one} was sent`,
  };
  return (
    <div className="flex flex-col gap-3">
      <div>
        <MessageStatusBadge message={message} channel={channel} />
      </div>
      {provider === SANDBOX && (
        <Callout tone="warning">
          The sandbox recorded this {one} and did not send it. To send {many}, the operator sets {variable}.
        </Callout>
      )}
      {error && (
        <Callout tone="danger" title={titles[error.code] ?? error.code}>
          {error.message} {error.code === 'unknown_effect' && 'Check with the recipient before you send it again.'}
        </Callout>
      )}
    </div>
  );
}

function CommonFacts({ message: { id, provider, provider_message_id, job_id, created_at } }: { message: Detail }) {
  return (
    <>
      <Fact name="Provider">{provider}</Fact>
      <Fact name="Provider’s message ID">
        {provider_message_id ? <Id value={provider_message_id} keep={0} /> : '–'}
      </Fact>
      <Fact name="Message ID">
        <Id value={id} keep={0} />
      </Fact>
      <Fact name="Job">
        {job_id ? (
          <Link to="/job/$id" params={{ id: job_id }} className={linkClasses}>
            <span className="font-mono text-mono wrap-anywhere">{job_id}</span>
          </Link>
        ) : (
          'Sent directly'
        )}
      </Fact>
      <Fact name="Created">
        <Time value={created_at} form="full" className="text-left" />
      </Fact>
    </>
  );
}

/** The text of a message; null if it was deleted with its job. */
export function MessageText({ text }: { text: string | null }) {
  if (text === null) return <p className="text-body text-muted">The text was deleted with its job.</p>;
  return (
    <p className="mb-2 rounded-card border border-line bg-sunken px-3 py-2 text-body wrap-anywhere whitespace-pre-wrap">
      {text}
    </p>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-body font-semibold">{title}</h3>
      {children}
    </section>
  );
}
