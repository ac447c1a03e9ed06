import type { Schemas } from '@jobline/client';
import { type FormEvent, useState } from 'react';
import { Controller } from 'react-hook-form';
import { onCtrlEnter } from '../../keyboard/use-shortcut.js';
import { DeliveryFields, RunAtField } from '../../product/message/delivery-fields.js';
import { SegmentCounter } from '../../product/segment-counter.js';
import { Button, Field, Input, Panel, Textarea, UndoNote } from '../../ui/index.js';
import { FromField } from './from-fields.js';
import { rules } from './sms-draft.js';
import { Outcome } from './sms-outcome.js';
import { FillTemplate, TemplatePicker } from './sms-template.js';
import type { Composing } from './use-compose.js';

/** The form for an SMS: recipient, sender, message and delivery. It is kept as a draft until it is sent. */
export function Compose({ composing }: { composing: Composing }) {
  const { form, values, isDirty, isSubmitting, write, replace, replaced } = composing;
  const { errors } = form.formState;
  const [filling, setFilling] = useState<Schemas['TemplateSummary'] | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    composing.submit();
  };
  const kept = isDirty && (
    <>
      <span className="text-meta text-muted">Draft kept in this tab</span>
      <Button size="small" variant="ghost" onClick={composing.discard}>
        Discard
      </Button>
    </>
  );
  return (
    <Panel title="Compose" actions={kept}>
      <form noValidate onSubmit={submit} onKeyDown={onCtrlEnter(composing.submit)} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="To" error={errors.to?.message} hint="Start with + and the country code." required>
            <Input
              type="tel"
              inputMode="tel"
              autoComplete="off"
              mono
              placeholder="+254700000000"
              {...form.register('to', rules.to)}
            />
          </Field>
          <Controller
            control={form.control}
            name="from"
            render={({ field }) => (
              <FromField value={field.value} onChange={field.onChange} ref={field.ref} error={errors.from?.message} />
            )}
          />
        </div>
        <div className="flex flex-col gap-2">
          <Field
            label="Message"
            error={errors.message?.message}
            aside={<TemplatePicker onTake={replace} onFill={setFilling} />}
            required
          >
            <Textarea rows={6} {...form.register('message', rules.message)} />
          </Field>
          <SegmentCounter text={values.message} onReplace={write} />
          {replaced !== null && <UndoNote title="The template replaced your text" onUndo={composing.undoReplace} />}
        </div>
        <DeliveryFields
          value={values.how}
          onChange={(how) => form.setValue('how', how)}
          retries={form.register('max_retries', rules.max_retries)}
          retriesError={errors.max_retries?.message}
          runAt={<RunAtField control={form.control} className="w-full flex-1" />}
        />
        <Outcome outcome={composing.outcome} onSendAnyway={composing.sendAnyway} />
        <div className="flex items-center justify-end gap-3">
          <span className="text-meta text-muted max-sm:hidden">Ctrl+Enter</span>
          <Button type="submit" variant="primary" busy={isSubmitting} className="max-sm:w-full">
            {values.how === 'queue' ? 'Queue SMS' : 'Send SMS'}
          </Button>
        </div>
      </form>
      {/* The dialog has its own form, so it must be outside this one. */}
      {filling && (
        <FillTemplate
          key={filling.id}
          template={filling}
          onClose={() => setFilling(null)}
          onTake={(text) => {
            setFilling(null);
            replace(text);
          }}
        />
      )}
    </Panel>
  );
}
