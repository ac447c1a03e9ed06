import type { ReactNode } from 'react';
import { SegmentCounter } from '../../product/segment-counter.js';
import { LoadError } from '../../shell/load-error.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import { Dialog, Skeleton } from '../../ui/index.js';
import { CHANNELS, contentOf } from './channels.js';
import { Facts, Outcome, Steps } from './message-facts.js';
import { useMessage } from './queries.js';

/** The delivery report of an SMS or a chat message, with its steps, error and ids. */
export function MessageReport({ channel, id }: { channel: 'sms' | 'chat'; id: string }) {
  const go = useSearchChange<{ id?: string }>();
  const query = useMessage(channel, id);
  const message = query.data;
  return (
    <Dialog side="right" onClose={() => go({ id: undefined })} title="Delivery report" description={message?.to}>
      {message ? (
        <div className="flex flex-col gap-6">
          <Outcome message={message} channel={channel} />
          <Section title="Message">
            <Content text={contentOf(message)} />
            {'segments' in message && message.message !== null && <SegmentCounter text={message.message} />}
          </Section>
          <Section title="Steps">
            <Steps message={message} />
          </Section>
          <Section title="Details">
            <Facts channel={channel} message={message} />
          </Section>
        </div>
      ) : query.error ? (
        <LoadError
          of={query}
          notFound={`${CHANNELS[channel].One} not found. It may have been deleted after the retention period.`}
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

function Content({ text }: { text: string | null }) {
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
