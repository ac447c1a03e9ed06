import { JoblineError } from '@jobline/client';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { LoadError } from '../../shell/load-error.js';
import { Button, CodeBlock, EmptyState, Skeleton, StaleNote, Tabs } from '../../ui/index.js';
import { type MessageDetail, RECIPIENT_KINDS } from './channels.js';
import { BodyFrame } from './email-body.js';
import { Facts, Outcome, Steps } from './message-facts.js';
import { useMessage } from './queries.js';

type EmailDetail = MessageDetail<'email'>;

/** One email with its delivery status, preview, source and details. It takes the focus if it replaces the list. */
export function EmailReader({ id, onBack, takesFocus }: { id: string; onBack: () => void; takesFocus: boolean }) {
  const email = useMessage('email', id);
  const { data, error } = email;
  return (
    <article aria-label="Email" className="flex min-h-full flex-col p-4 lg:p-6">
      <div className="mb-3 lg:hidden">
        <Button variant="ghost" size="small" icon={<ArrowLeft />} onClick={onBack}>
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
        <div role="status" aria-label="Loading the email" className="flex flex-col gap-3 pt-1">
          <Skeleton className="h-5 w-2/3" />
          <Skeleton className="w-1/2" />
          <Skeleton className="mt-4 h-12 w-full" />
          <Skeleton className="mt-4 h-64 w-full" />
        </div>
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
  const details = (
    <div className="flex flex-col gap-6">
      <Steps message={email} />
      <Facts channel="email" message={email} />
    </div>
  );
  return (
    <>
      <h2 ref={heading} tabIndex={-1} className="text-section font-semibold wrap-anywhere outline-none">
        {email.subject}
      </h2>
      <p className="mt-0.5 mb-3 text-body wrap-anywhere text-muted">
        {RECIPIENT_KINDS[email.copied_as ?? 'to']} <span className="text-text">{email.to}</span>
        {email.from !== null && (
          <>
            {' '}
            from <span className="text-text">{email.from}</span>
          </>
        )}
      </p>
      <Outcome channel="email" message={email} />
      {email.body === null && <p className="mt-4 text-body text-muted">The text was deleted with its job.</p>}
      <Tabs
        label="Views of the email"
        value={email.body === null ? 'details' : view}
        onChange={setView}
        className="mt-3 flex-1 [&>[role=tabpanel]]:flex [&>[role=tabpanel]]:flex-col" // the preview fills the pane
        tabs={[...textTabs(email), { value: 'details', label: 'Details', content: details }]}
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
