import { useEffect, useRef, useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { ApiError } from '../../api/api-error.js';
import type { Draft } from '../../drafts.js';
import { showErrors } from '../../forms.js';
import { randomKey } from '../../idempotency.js';
import { onCtrlEnter } from '../../keyboard/on-ctrl-enter.js';
import { Button, DeliveryFields, Field, Input, retriesFault, Sheet, Tooltip } from '../../ui/index.js';
import { BodyField } from './body-field.js';
import { type EmailDraft, isBlank } from './draft.js';
import { FromFields } from './from-fields.js';
import { type Refusal, Refused } from './refused.js';
import { TemplatePicker } from './template-picker.js';
import { type Sent, useSend } from './use-send.js';

const FORM = 'compose-email';

export interface ComposePanelProps {
  draft: Draft<EmailDraft>;
  onClose: () => void;
  onSent: (sent: Sent) => void;
  onDiscard: (written: EmailDraft) => void;
}

export function ComposePanel({ draft, onClose, onSent, onDiscard }: ComposePanelProps) {
  const form = useForm<EmailDraft>({ defaultValues: draft.value });
  const send = useSend();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const sending = useRef(false);
  const { errors, isSubmitting } = form.formState;
  const delivery = form.watch('delivery');
  useKept(form, draft);

  const submit = form.handleSubmit(async () => {
    if (sending.current) return;
    sending.current = true;
    setRefusal(null);
    // From the first click on, until the content changes: a second click or a replay is the same request.
    if (form.getValues('key') === '') form.setValue('key', randomKey());
    try {
      onSent(await send(form.getValues()));
    } catch (error) {
      const fieldOf = ({ path }: { path: string }) => path.replace(/^payload\./, '');
      const message = showErrors(form, error, fieldOf);
      const code = error instanceof ApiError ? error.code : null;
      const requestId = error instanceof ApiError ? error.requestId : null;
      if (message !== null || code === 'sender_domain_not_verified') {
        setRefusal({ code, message: message ?? '', requestId, to: form.getValues('to').trim() });
      }
    } finally {
      sending.current = false;
    }
  });
  const again = () => {
    form.setValue('key', '');
    void submit();
  };
  const footer = (
    <>
      <Button
        variant="ghost"
        className="mr-auto"
        disabledReason={isBlank(form.watch()) ? 'There is nothing to discard' : undefined}
        onClick={() => onDiscard(form.getValues())}
      >
        Discard
      </Button>
      <Tooltip content="Ctrl+Enter">
        <Button type="submit" form={FORM} variant="primary" busy={isSubmitting}>
          {delivery === 'queue' ? 'Queue' : 'Send now'}
        </Button>
      </Tooltip>
    </>
  );
  return (
    <Sheet open onOpenChange={(next) => !next && onClose()} title="New email" size="wide" footer={footer}>
      <form
        id={FORM}
        noValidate
        onSubmit={(event) => void submit(event)}
        onKeyDown={onCtrlEnter(() => void submit())}
        className="flex flex-col gap-4"
      >
        {refusal && <Refused refusal={refusal} onLifted={() => setRefusal(null)} onSendAgain={again} />}
        <Field label="To" error={errors.to?.message} required>
          <Input
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...form.register('to', { required: 'Enter the recipient’s address.' })}
          />
        </Field>
        <FromFields form={form} />
        <TemplatePicker form={form} />
        <Field label="Subject" error={errors.subject?.message} required>
          <Input autoComplete="off" {...form.register('subject', { required: 'Enter a subject.' })} />
        </Field>
        <BodyField form={form} />
        <Controller
          control={form.control}
          name="run_at"
          render={({ field: { value, onChange, ref } }) => (
            <DeliveryFields
              value={delivery}
              onChange={(next) => form.setValue('delivery', next, { shouldDirty: true })}
              retries={form.register('max_retries', {
                validate: (text, { delivery: how }) => how === 'now' || (retriesFault(text) ?? true),
              })}
              runAt={{ value, onChange, ref }}
              faults={{ retries: errors.max_retries?.message, runAt: errors.run_at?.message }}
            />
          )}
        />
      </form>
    </Sheet>
  );
}

/** What is typed is kept; and whatever changes the content makes it another request. */
function useKept(form: ReturnType<typeof useForm<EmailDraft>>, draft: Draft<EmailDraft>): void {
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ name, values }) => {
          if (name !== 'key' && values.key !== '') return form.setValue('key', '');
          if (isBlank(values)) latest.current.clear();
          else latest.current.set({ ...values });
        },
      }),
    [form],
  );
}
