import type { Settings } from '@jobline/client';
import type { ErrorDetail } from '@jobline/contracts';
import { type ReactNode, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { showErrors } from '../../api/form-errors.js';
import { type DraftForm, useDraftForm } from '../../drafts/use-draft-form.js';
import { useServices } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { Button, Callout, Confirm, Panel, toast } from '../../ui/index.js';

export const SETTINGS_KEY = ['getSettings'] as const;

/** What a save would delete. */
interface Question {
  title: string;
  text: string;
}

interface SettingsSectionProps<T extends FieldValues> {
  title: string;
  description: string;
  name: string;
  settings: Settings;
  valuesOf: (settings: Settings) => T;
  changesOf: (values: T) => Partial<Settings>;
  /** The question before a save that cannot be undone; null if it can. */
  questionOf?: (values: T) => Question | null;
  children: (draft: DraftForm<T>) => ReactNode;
}

/** Settings that are saved together. They are read-only for users who may not change settings. */
export function SettingsSection<T extends FieldValues>(props: SettingsSectionProps<T>) {
  const { title, description, name, settings, valuesOf, changesOf, questionOf, children } = props;
  const { api, queries } = useServices();
  const draft = useDraftForm<T>(`settings-${name}`, valuesOf(settings));
  const { form, isDirty, discard } = draft;
  const canChange = useCan()('settings');
  const [formError, setFormError] = useState<string | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const store = async (values: T) => {
    setFormError(null);
    try {
      const stored = await api.settings.update(changesOf(values));
      queries.setQueryData<Settings>(SETTINGS_KEY, stored);
      // What the user has typed meanwhile stays.
      if (JSON.stringify(form.getValues()) === JSON.stringify(values)) form.reset(valuesOf(stored));
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
          {children(draft)}
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
          title={question.title}
          verb="Save"
          onClose={() => setQuestion(null)}
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

/** `alerts.chat.channel` → `channel`, `redact.payload_keys[0]` → `payload_keys`. */
function fieldOf({ path }: ErrorDetail): string {
  return path.replace(/^([a-z]+\.)+/, '').replace(/\[.*/, '');
}
