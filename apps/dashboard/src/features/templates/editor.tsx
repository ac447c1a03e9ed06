import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { showErrors } from '../../api/form-errors.js';
import { readData, useFilledTemplate } from '../../api/use-filled-template.js';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { TemplateFields } from '../../product/message/template-fields.js';
import { useCan } from '../../session/use-session.js';
import { ConfirmLeave } from '../../shell/confirm-dialog.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import { Panel, Tabs, useMedia } from '../../ui/index.js';
import { useLatest } from '../../ui/use-latest.js';
import { EditPanel } from './edit-panel.js';
import { sourceOf, type Template, type Values, valuesOf } from './model.js';
import { PreviewPanel } from './preview-panel.js';
import { useSaveTemplate } from './queries.js';

const route = getRouteApi('/app/templates');

interface EditorProps {
  /** Null for a new template. */
  template: Template | null;
  starter: { name: string; values: Values };
  /** Called after a new template was saved. Resolves when the URL contains its id. */
  onCreated: (id: string) => Promise<void>;
  onDeleted: () => void;
}

/** The width from which the form, the preview and the data are shown together. */
export const WIDE = '(width >= 80rem)';

/** The editor of one template, with its preview and the data for the preview. */
export function Editor({ template, starter, onCreated, onDeleted }: EditorProps) {
  const { tab = 'edit' } = route.useSearch();
  const go = useSearchChange<{ tab?: typeof tab }>();
  const saved = template ? valuesOf(template) : starter.values;
  const draftForm = useDraftForm<Values>(`template:${template?.id ?? `new ${starter.name}`}`, saved);
  const { form, values, isDirty, discard, forget } = draftForm;
  const canWrite = useCan()('templates');
  const isWide = useMedia(WIDE);
  const store = useSaveTemplate();
  const [formError, setFormError] = useState<string | null>(null);
  /** What a user who cannot save it tries out; null: nothing. */
  const [tried, setTried] = useState<string | null>(null);
  const json = tried ?? values.sample;
  const { data, error: dataError } = readData(json);
  const [valid, setValid] = useState(json);
  if (data && json !== valid) setValid(json);
  const preview = useFilledTemplate(sourceOf(values), readData(valid).data ?? {});

  const submit = form.handleSubmit(async (typed) => {
    setFormError(null);
    if (dataError !== undefined) {
      go({ tab: 'data' });
      return setFormError(`The example data is invalid: ${dataError}`);
    }
    try {
      const stored = await store(template?.id ?? null, typed);
      // What is stored has another form: the name is trimmed, and the data is indented.
      const shown = valuesOf(stored);
      for (const field of ['name', 'sample'] as const) {
        if (form.getValues(field) === typed[field]) form.setValue(field, shown[field]);
      }
      if (template) return;
      await onCreated(stored.id);
      forget();
    } catch (error) {
      setFormError(showErrors(form, error));
    }
  });
  const save = () => {
    if (!form.formState.isSubmitting) void submit();
  };
  useSaveKey(canWrite ? save : null);

  const edit = (
    <EditPanel
      template={template}
      draftForm={draftForm}
      preview={preview}
      formError={formError}
      onSave={save}
      onDeleted={() => {
        forget();
        onDeleted();
      }}
    />
  );
  const previewPanel = (
    <PreviewPanel template={template} preview={preview} onData={isWide ? undefined : () => go({ tab: 'data' })} />
  );
  const dataPanel = (
    <Panel title="Example data">
      <TemplateFields
        json={json}
        onChange={(next) => (canWrite ? form.setValue('sample', next, { shouldDirty: true }) : setTried(next))}
        variables={template?.variables ?? []}
        missing={preview.filled?.missing ?? []}
        hint={
          canWrite
            ? 'Kept with the template, for previews and tests. Each message has its own data.'
            : 'For this preview and its tests. It is not kept.'
        }
        error={form.formState.errors.sample?.message}
      />
    </Panel>
  );
  return (
    <>
      <ConfirmLeave
        when={isDirty && canWrite}
        isLeaving={(from, to) => templateOf(from) !== templateOf(to)}
        title="Leave without saving?"
        verb="Discard changes"
        cancel="Keep editing"
        onLeave={discard}
      >
        The changes in {saved.name === '' ? 'the new template' : `“${saved.name}”`} are not saved and would be lost.
      </ConfirmLeave>
      {isWide ? (
        <div className="grid grid-cols-2 items-start gap-6">
          {edit}
          <div className="flex min-w-0 flex-col gap-6">
            {previewPanel}
            {dataPanel}
          </div>
        </div>
      ) : (
        <Tabs
          label="Template"
          value={tab}
          onChange={(next) => go({ tab: next })}
          tabs={[
            { value: 'edit', label: 'Edit', content: edit },
            { value: 'preview', label: 'Preview', content: previewPanel },
            { value: 'data', label: 'Data', content: dataPanel },
          ]}
        />
      )}
    </>
  );
}

/** Identifies the template in a location. Switching the tabs of the editor does not change it. */
function templateOf({ pathname, search }: { pathname: string; search: object }): string {
  const { id, new: isNew }: { id?: unknown; new?: unknown } = search;
  return JSON.stringify([pathname, id ?? null, isNew ?? null]);
}

/** Calls `save` on Ctrl+S or Cmd+S. If it is null, the browser handles the keys. */
function useSaveKey(save: (() => void) | null): void {
  const latest = useLatest(save);
  const isOn = save !== null;
  useEffect(() => {
    if (!isOn) return;
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (!event.repeat && document.querySelector('[role="dialog"], [role="alertdialog"]') === null) latest.current?.();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [isOn, latest]);
}
