import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MessageStatusBadge, SANDBOX } from '../../product/message/message-status.js';
import { SegmentCounter } from '../../product/segment-counter.js';
import { LoadError } from '../../shell/load-error.js';
import { Callout, Dialog, Fact, Id, linkClasses, Skeleton, Time } from '../../ui/index.js';
import { SmsSteps } from './delivery-steps.js';
import type { SmsDetail } from './model.js';
import { useSms } from './queries.js';

/** The delivery report of one SMS, with its steps, error and ids. */
export function SmsReport({ id, onClose }: { id: string; onClose: () => void }) {
  const sms = useSms(id);
  const { data, error } = sms;
  return (
    <Dialog
      side="right"
      open
      onOpenChange={(open) => !open && onClose()}
      title="Delivery report"
      description={data?.to}
    >
      {data ? (
        <Details sms={data} />
      ) : error ? (
        <LoadError of={sms} notFound="SMS not found. It may have been deleted after the retention period." />
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

function Details({ sms }: { sms: SmsDetail }) {
  const { id, from, message, segments, provider, provider_message_id, job_id, error, created_at } = sms;
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-3">
        <div>
          <MessageStatusBadge message={sms} channel="sms" />
        </div>
        {provider === SANDBOX && (
          <Callout tone="warning">
            The sandbox recorded this SMS and did not send it. To send SMS, the operator sets SMS_PROVIDER.
          </Callout>
        )}
        {error && (
          <Callout tone="danger" title={TITLES[error.code] ?? error.code}>
            {error.message} {error.code === 'unknown_effect' && 'Check with the recipient before you send it again.'}
          </Callout>
        )}
      </div>
      <Section title="Steps">
        <SmsSteps sms={sms} />
      </Section>
      <Section title="Message">
        {message === null ? (
          <p className="text-body text-muted">The text was deleted with its job.</p>
        ) : (
          <>
            <p className="mb-2 rounded-card border border-line bg-sunken px-3 py-2 text-body wrap-anywhere whitespace-pre-wrap">
              {message}
            </p>
            <SegmentCounter text={message} />
          </>
        )}
      </Section>
      <Section title="Details">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2 text-body [&>dt]:text-meta">
          <Fact name="From">{from ?? 'Default sender'}</Fact>
          <Fact name="Segments">{segments}, as recorded</Fact>
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
        </dl>
      </Section>
    </div>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  provider_rejected: 'The provider rejected the SMS',
  provider_unavailable: 'The provider did not answer',
  unknown_effect: 'It is unknown whether the SMS was sent',
};

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-body font-semibold">{title}</h3>
      {children}
    </section>
  );
}
