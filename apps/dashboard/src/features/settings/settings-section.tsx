import type { ErrorDetail } from '@jobline/contracts';
import { type ComponentProps, type ReactNode, useState } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { showErrors } from '../../api/form-errors.js';
import type { DraftForm } from '../../drafts/use-draft-form.js';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, Confirm, Field, Input, Panel, toast } from '../../ui/index.js';

/** What a save would delete. */
interface Question {
  title: string;
  text: ReactNode;
}

interface SettingsSectionProps<T extends FieldValues> {
  title: string;
  description: string;
  draft: DraftForm<T>;
  /** Stores the values, and returns those that are stored now. */
  save: (values: T) => Promise<T>;
  /** The question before a save that cannot be undone; null if it can. */
  questionOf?: ((values: T) => Question | null) | undefined;
  /** The fields. */
  children: ReactNode;
}

/** Settings that are saved together. They are read-only for users who may not change settings. */
export function SettingsSection<T extends FieldValues>(props: SettingsSectionProps<T>) {
  const { title, description, draft, save, questionOf, children } = props;
  const { form, isDirty, discard } = draft;
  const canChange = useCan()('settings');
  const [formError, setFormError] = useState<string | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const store = async (values: T) => {
    setFormError(null);
    try {
      const stored = await save(values);
      // What the user has typed meanwhile stays.
      if (JSON.stringify(form.getValues()) === JSON.stringify(values)) form.reset(stored);
      toast.success(`${title}: saved`);
    } catch (error) {
      setFormError(showErrors(form, error, fieldOf));
    }
  };
  const submit = form.handleSubmit(async (values) => {
    const asked = questionOf?.(values) ?? null;
    setQuestion(asked);
    if (!asked) await store(values);
  });
  const discardChanges = () => {
    setFormError(null);
    toast.success('The changes are discarded', { action: { label: 'Undo', onAction: discard() } });
  };
  return (
    <Panel title={title} description={description} padding="none">
      <form noValidate onSubmit={(event) => void submit(event)}>
        <fieldset disabled={!canChange} className="flex max-w-xl min-w-0 flex-col gap-4 p-4">
          {formError !== null && (
            <Callout tone="danger" role="alert" title="Not saved">
              {formError}
            </Callout>
          )}
          {children}
        </fieldset>
        {canChange && (
          <div className="flex flex-wrap justify-end gap-2 border-t border-line bg-canvas px-4 py-3">
            {isDirty && (
              <Button variant="ghost" aria-label={`Discard changes: ${title}`} onClick={discardChanges}>
                Discard changes
              </Button>
            )}
            <Button
              type="submit"
              variant={isDirty ? 'primary' : 'secondary'}
              aria-label={`Save: ${title}`}
              busy={form.formState.isSubmitting}
              disabledReason={isDirty ? undefined : 'Nothing has changed.'}
            >
              Save
            </Button>
          </div>
        )}
      </form>
      {question && (
        <Confirm
          open
          title={question.title}
          verb="Save"
          onOpenChange={() => setQuestion(null)}
          onConfirm={() => {
            setQuestion(null);
            void form.handleSubmit(store)();
          }}
        >
          {question.text}
        </Confirm>
      )}
    </Panel>
  );
}

interface NumberFieldProps<T extends FieldValues> extends Omit<ComponentProps<typeof Field>, 'error' | 'children'> {
  form: UseFormReturn<T>;
  name: FieldPath<T>;
  /** Checks the text. A sentence says what is wrong. */
  validate: (text: string) => boolean | string;
  placeholder?: string;
}

/** A field with a number, as a text of the form. */
export function NumberField<T extends FieldValues>({
  form,
  name,
  validate,
  placeholder,
  ...field
}: NumberFieldProps<T>) {
  const { error } = form.getFieldState(name, form.formState);
  return (
    <Field {...field} error={error?.message}>
      <Input inputMode="numeric" autoComplete="off" placeholder={placeholder} {...form.register(name, { validate })} />
    </Field>
  );
}

/** `alerts.chat.channel` → `channel`, `redact.payload_keys[0]` → `payload_keys`. */
function fieldOf({ path }: ErrorDetail): string {
  return path.replace(/^([a-z]+\.)+/, '').replace(/\[.*/, '');
}
