import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { HtmlFrame, looksLikeHtml } from '../../product/html-frame.js';
import { cx, Field, SegmentedControl, Textarea } from '../../ui/index.js';
import type { EmailDraft } from './model.js';

type View = 'write' | 'preview';

/** The body of an email, as text or HTML, with a preview. The API detects HTML by the same rule. */
export function BodyField({ form }: { form: UseFormReturn<EmailDraft> }) {
  const [view, setView] = useState<View>('write');
  const body = form.watch('body');
  const error = form.formState.errors.body?.message;
  const isPreview = view === 'preview' && error === undefined;
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Body"
        error={error}
        required
        hint={body === '' ? 'Plain text or HTML.' : looksLikeHtml(body) ? 'Sent as HTML.' : 'Sent as plain text.'}
        aside={
          <SegmentedControl<View>
            label="Body view"
            value={isPreview ? 'preview' : 'write'}
            onChange={(next) => {
              form.clearErrors('body');
              setView(next);
            }}
            options={[
              { value: 'write', label: 'Write' },
              { value: 'preview', label: 'Preview' },
            ]}
          />
        }
      >
        <Textarea
          rows={8}
          className={cx('sm:min-h-64', isPreview && 'hidden')}
          {...form.register('body', { required: 'Enter the body.' })}
        />
      </Field>
      {isPreview && (
        <BodyFrame body={body} title={form.getValues('subject') || 'New email'} className="h-96 lg:h-[28rem]" />
      )}
    </div>
  );
}

interface BodyFrameProps {
  body: string;
  title: string;
  /** The CSS classes for the height of the frame. Plain text ignores them. */
  className: string;
}

/** Shows the body as the recipient sees it: plain text as written, HTML in a sandboxed frame. */
export function BodyFrame({ body, title, className }: BodyFrameProps) {
  if (!looksLikeHtml(body)) {
    return (
      <pre className="rounded-card border border-line bg-surface p-4 font-sans text-body wrap-anywhere whitespace-pre-wrap">
        {body}
      </pre>
    );
  }
  return (
    <div className="flex grow flex-col overflow-clip rounded-card border border-line">
      <HtmlFrame html={body} title={`Body: ${title}`} className={className} />
    </div>
  );
}
