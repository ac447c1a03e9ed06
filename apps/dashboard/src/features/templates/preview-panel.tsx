import { JoblineError } from '@jobline/client';
import { Link } from '@tanstack/react-router';
import { Eye, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { FilledTemplate, TemplateSource } from '../../api/use-filled-template.js';
import { FilledPreview } from '../../product/message/filled-preview.js';
import { SendTest } from '../../product/message/send-test.js';
import { useApi } from '../../services.js';
import { Button, buttonClasses, Callout, EmptyState, linkClasses, Panel, RefetchBar } from '../../ui/index.js';
import type { Template } from './model.js';

interface PreviewPanelProps {
  template: Template | null;
  preview: FilledTemplate<TemplateSource>;
  /** Shows the data, where it is not next to the preview. */
  onData: (() => void) | undefined;
}

/** The preview of the template, rendered by the API as for a real message, and what can be done with it. */
export function PreviewPanel({ template, preview: { filled, error, isBehind }, onData }: PreviewPanelProps) {
  const missing = filled?.missing ?? [];
  return (
    <Panel
      title="Preview"
      padding="none"
      actions={filled && <Uses template={template} filled={filled} isReady={!isBehind && !error} />}
    >
      <div className="relative flex flex-col" aria-busy={isBehind || undefined}>
        {isBehind && <RefetchBar />}
        {error && (
          <Callout tone="danger" role="alert" className="m-3" title="The template cannot be rendered">
            {messageOf(error)}
            {filled && ' The last valid preview is shown.'}
          </Callout>
        )}
        {missing.length > 0 && (
          <p className="flex flex-wrap items-center gap-x-2 border-b border-line px-4 py-2 text-meta text-warning">
            <TriangleAlert size={14} />
            <span className="min-w-0 wrap-anywhere">Left empty: {missing.join(', ')}</span>
            {onData && (
              <button type="button" className={`hit ${linkClasses}`} onClick={onData}>
                Enter the data
              </button>
            )}
          </p>
        )}
        {filled ? (
          <FilledPreview kind={filled.template.kind} filled={filled} />
        ) : (
          !error && (
            <EmptyState icon={<Eye />} title="No preview yet">
              The preview appears here when you enter the body.
            </EmptyState>
          )
        )}
      </div>
    </Panel>
  );
}

interface UsesProps {
  template: Template | null;
  filled: NonNullable<FilledTemplate<TemplateSource>['filled']>;
  /** Whether `filled` belongs to what is in the form. */
  isReady: boolean;
}

/** Sends the preview as a test, and opens the stored template in a new message. */
function Uses({ template, filled: { subject = '', body, missing, template: source }, isReady }: UsesProps) {
  const api = useApi();
  const [isTesting, setTesting] = useState(false);
  const { kind } = source;
  if (kind === 'pdf') return null;
  const isEmail = kind === 'email';
  return (
    <>
      {template?.kind === kind && (
        <Link
          to={`/${kind}`}
          search={{ ...(isEmail && { compose: 1 as const }), template: template.id }}
          className={buttonClasses('secondary', 'small')}
        >
          {isEmail ? 'Use in an email' : 'Use in an SMS'}
        </Link>
      )}
      <Button
        size="small"
        disabledReason={isReady ? undefined : 'The preview is not up to date'}
        onClick={() => setTesting(true)}
      >
        Send test
      </Button>
      {isTesting && (
        <SendTest
          channel={kind}
          missing={missing}
          send={(to) => (isEmail ? api.email.send({ to, subject, body }) : api.sms.send({ to, message: body }))}
          onClose={() => setTesting(false)}
        />
      )}
    </>
  );
}

function messageOf(error: Error): string {
  return error instanceof JoblineError && error.details[0]
    ? `${error.details[0].message}.`.replace(/\.\.$/, '.')
    : error.message;
}
