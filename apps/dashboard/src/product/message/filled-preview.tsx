import type { Schemas } from '@jobline/client';
import type { TemplateKind } from '@jobline/contracts';
import { cx } from '../../ui/index.js';
import { HtmlFrame, looksLikeHtml } from '../html-frame.js';

/** A filled template, as its reader sees it. */
export function FilledPreview({ kind, filled: { subject, body } }: { kind: TemplateKind; filled: Schemas['Preview'] }) {
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
