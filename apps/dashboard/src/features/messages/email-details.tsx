import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { truncateMiddle } from '../../format/index.js';
import { RecordedBadge, SANDBOX } from '../../product/message/message-status.js';
import { StatusBadge } from '../../product/status.js';
import { Id, linkClasses, Time } from '../../ui/index.js';
import type { EmailDetail } from './use-emails.js';

/** The details of an email and the delivery reports of its provider. */
export function EmailDetails({ email }: { email: EmailDetail }) {
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2.5 text-body">
        <Line name="From">{email.from ?? 'Default sender of the provider'}</Line>
        <Line name="Provider">
          <span className="inline-flex flex-wrap items-center gap-2">
            {email.provider}
            {email.provider === SANDBOX && <RecordedBadge channel="email" />}
          </span>
        </Line>
        <Line name="Provider’s message ID">
          {email.provider_message_id === null ? (
            'None'
          ) : (
            <Id value={email.provider_message_id} what="provider’s message ID" keep={0} />
          )}
        </Line>
        <Line name="Email ID">
          <Id value={email.id} what="email ID" keep={0} />
        </Line>
        <Line name="Job">
          {email.job_id === null ? (
            'None: the email was sent directly, or its job was deleted'
          ) : (
            <Link to="/job/$id" params={{ id: email.job_id }} className={linkClasses}>
              <span className="font-mono text-mono">{truncateMiddle(email.job_id, 20)}</span>
            </Link>
          )}
        </Line>
        <Line name="Created">
          <Time value={email.created_at} form="full" />
        </Line>
        <Line name="Changed">
          <Time value={email.updated_at} form="full" />
        </Line>
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

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
