import { type Ref, useImperativeHandle, useState } from 'react';
import { Controller } from 'react-hook-form';
import type { Schemas } from '../../api/api-client.js';
import { useDraftForm } from '../../draft-form.js';
import { showErrors } from '../../forms.js';
import { onCtrlEnter } from '../../keyboard/on-ctrl-enter.js';
import {
  Button,
  DeliveryFields,
  Field,
  Input,
  Panel,
  SegmentCounter,
  Textarea,
  toast,
  UndoNote,
} from '../../ui/index.js';
import { EMPTY, fieldOf, rules, type Compose as Values } from './compose-form.js';
import { FillTemplate } from './fill-template.js';
import { FromField } from './from-field.js';
import { Outcome, type OutcomeProps } from './outcome.js';
import { TemplatePicker } from './template-picker.js';
import { useSend } from './use-send.js';

export interface ComposeHandle {
  focus(): void;
}

export interface ComposeProps {
  /** It was taken: the history has it, or will. */
  onSent: () => void;
  ref?: Ref<ComposeHandle>;
}

/** One text: to whom, as whom, what, and whether at once or by a job. Kept as a draft until it is sent. */
export function Compose({ onSent, ref }: ComposeProps) {
  const { form, values, isDirty, discard } = useDraftForm<Values>('sms', EMPTY);
  const { errors, isSubmitting } = form.formState;
  const { send, startAnew } = useSend();
  const [outcome, setOutcome] = useState<OutcomeProps['outcome']>(null);
  const [filling, setFilling] = useState<Schemas['TemplateSummary'] | null>(null);
  /** What a template took the place of. */
  const [replaced, setReplaced] = useState<string | null>(null);
  useImperativeHandle(ref, () => ({ focus: () => form.setFocus('to') }), [form]);

  const submit = form.handleSubmit(async (typed) => {
    setOutcome(null);
    try {
      const sent = await send(typed);
      discard();
      setReplaced(null);
      setOutcome({ sent, to: typed.to });
      onSent();
    } catch (error) {
      setOutcome({ error, sentence: showErrors(form, error, fieldOf) });
    }
  });
  const write = (message: string) => form.setValue('message', message, { shouldValidate: form.formState.isSubmitted });
  const takeText = (text: string) => {
    const before = form.getValues('message');
    write(text);
    form.setFocus('message');
    setReplaced(before !== '' && before !== text ? before : null);
  };
  const undo = () => {
    write(replaced ?? '');
    setReplaced(null);
  };
  const onKeyDown = onCtrlEnter(() => void (isSubmitting || submit()));
  return (
    <Panel title="Compose" actions={<Discard isDirty={isDirty} values={values} discard={discard} form={form} />}>
      <form noValidate onSubmit={(event) => void submit(event)} onKeyDown={onKeyDown} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="To" error={errors.to?.message} hint="With + and the country code." required>
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
            aside={<TemplatePicker onTake={takeText} onFill={setFilling} />}
            required
          >
            <Textarea rows={6} {...form.register('message', rules.message)} />
          </Field>
          <SegmentCounter text={values.message} onReplace={write} />
          {replaced !== null && <UndoNote title="The template took the place of what was written" onUndo={undo} />}
        </div>
        <Controller
          control={form.control}
          name="runAt"
          render={({ field }) => (
            <DeliveryFields
              value={values.how === 'queue' ? 'queue' : 'now'}
              onChange={(how) => form.setValue('how', how)}
              retries={form.register('retries', rules.retries)}
              runAt={{ value: field.value || null, onChange: (at) => field.onChange(at ?? ''), ref: field.ref }}
              faults={{ retries: errors.retries?.message, runAt: errors.runAt?.message }}
            />
          )}
        />
        <Outcome
          outcome={outcome}
          onSendAnyway={() => {
            startAnew();
            void submit();
          }}
        />
        <div className="flex items-center justify-end gap-3">
          <span className="text-meta text-muted max-sm:hidden">Ctrl+Enter</span>
          <Button type="submit" variant="primary" busy={isSubmitting} className="max-sm:w-full">
            {values.how === 'queue' ? 'Queue SMS' : 'Send SMS'}
          </Button>
        </div>
      </form>
      {/* Outside the form: what is submitted in it is not the text. */}
      {filling && (
        <FillTemplate
          key={filling.id}
          template={filling}
          onClose={() => setFilling(null)}
          onTake={(text) => {
            setFilling(null);
            takeText(text);
          }}
        />
      )}
    </Panel>
  );
}

type FormPart = ReturnType<typeof useDraftForm<Values>>;

/** Throws a draft away, and offers it back. */
function Discard({ isDirty, values, discard, form }: Pick<FormPart, 'isDirty' | 'values' | 'discard' | 'form'>) {
  if (!isDirty) return null;
  const throwAway = () => {
    const kept = { ...values };
    discard();
    toast.info('The draft is discarded', { action: { label: 'Undo', onAction: () => form.reset(kept) } });
  };
  return (
    <>
      <span className="text-meta text-muted">Draft kept in this tab</span>
      <Button size="small" variant="ghost" onClick={throwAway}>
        Discard
      </Button>
    </>
  );
}
