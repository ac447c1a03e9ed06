import { JoblineError } from '@jobline/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { truncateMiddle } from '../../format/index.js';
import { RecordedBadge, SANDBOX } from '../../product/message/message-status.js';
import { StatusBadge } from '../../product/status.js';
import { LoadError } from '../../shell/load-error.js';
import {
  Button,
  Callout,
  CodeBlock,
  EmptyState,
  Fact,
  Id,
  linkClasses,
  Skeleton,
  StaleNote,
  Tabs,
  Time,
} from '../../ui/index.js';
import { EmailSteps } from './delivery-steps.js';
import { BodyFrame } from './email-body.js';
import { type EmailDetail, RECIPIENT_KINDS } from './model.js';
import { useEmail } from './queries.js';

interface EmailReaderProps {
  id: string;
  onBack: () => void;
  /** Whether the message replaces the list. It then takes the focus. */
  takesFocus: boolean;
}

/** One email with its delivery status, preview, source and details. */
export function EmailReader({ id, onBack, takesFocus }: EmailReaderProps) {
  const queries = useQueryClient();
  const email = useEmail(id);
  const { data, error } = email;
  const status = data?.status;
  const seen = useRef({ id, status });
  useEffect(() => {
    const before = seen.current;
    seen.current = { id, status };
    if (before.id === id && before.status && status && before.status !== status) {
      void queries.invalidateQueries({ queryKey: ['listEmails'] });
    }
  }, [id, status, queries]);
  return (
    <article aria-label="Email" className="flex min-h-full flex-col p-4 lg:p-6">
      <div className="mb-3 lg:hidden">
        <Button variant="ghost" size="small" icon={<ArrowLeft aria-hidden="true" />} onClick={onBack}>
          Back
        </Button>
      </div>
      {data ? (
        <>
          {error && <StaleNote asOf={email.dataUpdatedAt} />}
          <Loaded key={id} email={data} takesFocus={takesFocus} />
        </>
      ) : error instanceof JoblineError && error.code === 'not_found' ? (
        <EmptyState title="Email not found">
          The link may be incomplete, or the email was deleted after the retention period.
        </EmptyState>
      ) : error ? (
        <LoadError of={email} what="The email" />
      ) : (
        <Loading />
      )}
    </article>
  );
}

type View = 'preview' | 'source' | 'details';

function Loaded({ email, takesFocus }: { email: EmailDetail; takesFocus: boolean }) {
  const [view, setView] = useState<View>('preview');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  return (
    <>
      <h2 ref={heading} tabIndex={-1} className="text-section font-semibold wrap-anywhere outline-none">
        {email.subject}
      </h2>
      <p className="mt-0.5 text-body wrap-anywhere text-muted">
        {RECIPIENT_KINDS[email.copied_as ?? 'to']} <span className="text-text">{email.to}</span>
        {email.from !== null && (
          <>
            {' '}
            from <span className="text-text">{email.from}</span>
          </>
        )}
      </p>
      <EmailSteps email={email} />
      {email.provider === SANDBOX && (
        <Callout tone="warning" className="mb-4">
          No email provider is configured, so this email was recorded and not sent.
        </Callout>
      )}
      {email.body === null && <p className="mb-4 text-body text-muted">The text was deleted with its job.</p>}
      {email.error && (
        <Callout tone="danger" title={email.error.code} className="mb-4">
          {email.error.message}
        </Callout>
      )}
      <Tabs
        label="Views of the email"
        value={email.body === null ? 'details' : view}
        onChange={setView}
        className="flex-1 [&>[role=tabpanel]]:flex [&>[role=tabpanel]]:flex-col" // the preview fills the pane
        tabs={[...textTabs(email), { value: 'details', label: 'Details', content: <EmailDetails email={email} /> }]}
      />
    </>
  );
}

function textTabs({ body, subject }: EmailDetail) {
  if (body === null) return [];
  const frame = <BodyFrame body={body} title={subject} className="h-96 grow lg:h-auto lg:min-h-72" />;
  return [
    { value: 'preview' as const, label: 'Preview', content: frame },
    { value: 'source' as const, label: 'Source', content: <CodeBlock code={body} label="source" /> },
  ];
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the email" className="flex flex-col gap-3 pt-1">
      <Skeleton className="h-5 w-2/3" />
      <Skeleton className="w-1/2" />
      <Skeleton className="mt-4 h-12 w-full" />
      <Skeleton className="mt-4 h-64 w-full" />
    </div>
  );
}

/** The details of an email and the delivery reports of its provider. */
function EmailDetails({ email }: { email: EmailDetail }) {
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2.5 text-body">
        <Fact name="From">{email.from ?? 'Default sender of the provider'}</Fact>
        <Fact name="Provider">
          <span className="inline-flex flex-wrap items-center gap-2">
            {email.provider}
            {email.provider === SANDBOX && <RecordedBadge channel="email" />}
          </span>
        </Fact>
        <Fact name="Provider’s message ID">
          {email.provider_message_id === null ? (
            'None'
          ) : (
            <Id value={email.provider_message_id} what="provider’s message ID" keep={0} />
          )}
        </Fact>
        <Fact name="Email ID">
          <Id value={email.id} what="email ID" keep={0} />
        </Fact>
        <Fact name="Job">
          {email.job_id === null ? (
            'None: the email was sent directly, or its job was deleted'
          ) : (
            <Link to="/job/$id" params={{ id: email.job_id }} className={linkClasses}>
              <span className="font-mono text-mono">{truncateMiddle(email.job_id, 20)}</span>
            </Link>
          )}
        </Fact>
        <Fact name="Created">
          <Time value={email.created_at} form="full" />
        </Fact>
        <Fact name="Changed">
          <Time value={email.updated_at} form="full" />
        </Fact>
      </dl>
      <section aria-label="Reports">
        <h3 className="mb-2 text-body font-semibold">Delivery reports</h3>
        {email.events.length === 0 ? (
          <p className="text-body text-muted">No reports yet.</p>
        ) : (
          <ol className="divide-y divide-line rounded-card border border-line">
            {email.events.map((event) => (
              <li key={`${event.event} ${event.received_at}`} className="px-3 py-2 text-body">
                <div className="flex flex-wrap items-center justify-between gap-2">
                  <span className="inline-flex items-center gap-2">
                    <span className="font-mono text-mono">{event.event}</span>
                    {event.status && <StatusBadge kind="message" status={event.status} />}
                  </span>
                  <Time value={event.occurred_at ?? event.received_at} className="text-meta text-muted" />
                </div>
                {event.reason && <p className="mt-1 wrap-anywhere text-muted">{event.reason}</p>}
              </li>
            ))}
          </ol>
        )}
      </section>
    </div>
  );
}
