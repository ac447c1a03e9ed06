import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { HtmlFrame, looksLikeHtml } from '../../product/html-frame.js';
import { cx, Field, type Option, SegmentedControl, Select, Textarea } from '../../ui/index.js';
import type { EmailDraft } from './draft.js';

const FORMATS: Option<EmailDraft['format']>[] = [
  { value: 'auto', label: 'Automatic', hint: 'HTML if the body contains HTML, otherwise plain text.' },
  { value: 'text', label: 'Plain text' },
  { value: 'html', label: 'HTML', hint: 'A text part is made from it.' },
  { value: 'both', label: 'HTML and plain text', hint: 'You write both parts.' },
];

/** The body of an email, as text or HTML, with a preview. The API detects HTML by the same rule. */
export function BodyField({ form }: { form: UseFormReturn<EmailDraft> }) {
  const [view, setView] = useState<'write' | 'preview'>('write');
  const { body, format } = form.watch();
  const isHtml = format === 'auto' ? looksLikeHtml(body) : format !== 'text';
  const error = form.formState.errors.body?.message;
  const isPreview = view === 'preview' && error === undefined;
  return (
    <div className="flex flex-col gap-4">
      <Field
        label="Body"
        error={error}
        required
        hint={
          body === '' && format === 'auto' ? 'Plain text or HTML.' : isHtml ? 'Sent as HTML.' : 'Sent as plain text.'
        }
        aside={
          <SegmentedControl
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
      {format === 'both' && (
        <Field label="Plain text" error={form.formState.errors.text?.message} required>
          <Textarea
            rows={5}
            {...form.register('text', {
              validate: (text, draft) => draft.format !== 'both' || text.trim() !== '' || 'Enter the plain text.',
            })}
          />
        </Field>
      )}
      <Field label="Format" className="sm:max-w-72">
        <Select
          options={FORMATS}
          value={format}
          onChange={(next) => {
            form.clearErrors(['body', 'text']);
            form.setValue('format', next, { shouldDirty: true });
          }}
        />
      </Field>
      {isPreview && (
        <BodyFrame
          body={body}
          isHtml={isHtml}
          title={form.getValues('subject') || 'New email'}
          className="h-96 lg:h-[28rem]"
        />
      )}
    </div>
  );
}

interface BodyFrameProps {
  body: string;
  /** Default: whether it looks like HTML. */
  isHtml?: boolean;
  title: string;
  /** The CSS classes for the height of the frame. Plain text ignores them. */
  className: string;
}

/** Shows the body as the recipient sees it: plain text as written, HTML in a sandboxed frame. */
export function BodyFrame({ body, isHtml = looksLikeHtml(body), title, className }: BodyFrameProps) {
  if (!isHtml) {
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
