import { JoblineError } from '@jobline/client';
import { Eye } from 'lucide-react';
import type { FilledTemplate, TemplateSource } from '../../api/use-filled-template.js';
import { HtmlFrame, looksLikeHtml } from '../../product/html-frame.js';
import { Callout, cx, EmptyState, Panel, RefetchBar } from '../../ui/index.js';
import { MissingChips } from './data-panel.js';

interface PreviewPanelProps {
  preview: FilledTemplate<TemplateSource>;
  onAdd: ((name: string) => void) | undefined;
  /** Whether to show the missing variables here, because the data panel is not visible. */
  withChips: boolean;
}

/** The preview of the template, rendered by the API as for a real message. */
export function PreviewPanel({ preview: { filled, error, isBehind }, onAdd, withChips }: PreviewPanelProps) {
  return (
    <Panel title="Preview" padding="none">
      <div className="relative flex flex-col" aria-busy={isBehind || undefined}>
        {isBehind && <RefetchBar />}
        {error && (
          <Callout tone="danger" role="alert" className="m-3" title="The template cannot be rendered">
            {messageOf(error)}
            {filled && ' The last valid preview is shown.'}
          </Callout>
        )}
        {withChips && filled && filled.missing.length > 0 && (
          <div className="border-b border-line px-4 py-3">
            <MissingChips missing={filled.missing} onAdd={onAdd} />
          </div>
        )}
        {filled ? (
          <Filled filled={filled} />
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

function Filled({ filled }: { filled: NonNullable<FilledTemplate<TemplateSource>['filled']> }) {
  const { subject, body } = filled;
  const { kind } = filled.template;
  if (kind === 'sms') {
    return (
      <div className="p-4">
        <p
          data-preview
          className="w-fit max-w-full rounded-card rounded-bl-none border border-line bg-sunken px-3 py-2 text-body wrap-anywhere whitespace-pre-wrap"
        >
          {body}
        </p>
      </div>
    );
  }
  return (
    <>
      {subject !== undefined && (
        <p data-preview-subject className="border-b border-line px-4 py-3 font-medium wrap-anywhere">
          {subject === '' ? <span className="font-normal text-muted">No subject</span> : subject}
        </p>
      )}
      {kind === 'pdf' || looksLikeHtml(body) ? (
        <HtmlFrame html={body} title="Preview" className={cx('h-96', kind === 'pdf' && 'h-128')} />
      ) : (
        <p data-preview className="p-4 wrap-anywhere whitespace-pre-wrap">
          {body}
        </p>
      )}
    </>
  );
}

function messageOf(error: Error): string {
  return error instanceof JoblineError && error.details[0]
    ? `${error.details[0].message}.`.replace(/\.\.$/, '.')
    : error.message;
}
