import { useState } from 'react';
import { showErrors } from '../../api/form-errors.js';
import { useDraftForm } from '../../drafts/use-draft-form.js';
import { useCan } from '../../session/use-session.js';
import { Tabs, useMedia } from '../../ui/index.js';
import { DataPanel } from './data-panel.js';
import { EditPanel } from './edit-panel.js';
import { LeaveGuard } from './leave-guard.js';
import { PreviewPanel } from './preview-panel.js';
import type { TemplateTab } from './search.js';
import { type Template, type Values, valuesOf } from './template-values.js';
import { useData } from './use-data.js';
import { usePreview } from './use-preview.js';
import { useSaveKey } from './use-save-key.js';
import { useSaveTemplate } from './use-templates.js';

export interface EditorProps {
  /** Null: a new one. */
  template: Template | null;
  starter: { name: string; values: Values; data: string };
  tab: TemplateTab;
  onTab: (tab: TemplateTab) => void;
  /** A new one has become this; resolves once the address says so. */
  onMade: (id: string) => Promise<void>;
  onDeleted: () => void;
}

/** Where all three stand beside each other. */
export const WIDE = '(width >= 80rem)';

/** One template: its text, what comes of it, and what that is filled with. */
export function Editor({ template, starter, tab, onTab, onMade, onDeleted }: EditorProps) {
  const saved = template ? valuesOf(template) : starter.values;
  const draftForm = useDraftForm<Values>(`template:${template?.id ?? `new ${starter.name}`}`, saved);
  const { form, values, isDirty, discard, forget } = draftForm;
  const canWrite = useCan()('templates');
  const isWide = useMedia(WIDE);
  const store = useSaveTemplate();
  const [refusal, setRefusal] = useState<string | null>(null);
  const data = useData(starter.data);
  const preview = usePreview(values, data.valid);

  const submit = form.handleSubmit(async (typed) => {
    setRefusal(null);
    try {
      const now = await store(template?.id ?? null, typed);
      if (form.getValues('name') === typed.name) form.setValue('name', now.name); // the API trims it
      if (template) return;
      await onMade(now.id);
      forget();
    } catch (error) {
      setRefusal(showErrors(form, error));
    }
  });
  const save = () => {
    if (!form.formState.isSubmitting) void submit();
  };
  useSaveKey(canWrite ? save : null);

  const onAdd =
    data.add &&
    ((name: string) => {
      if (!isWide) onTab('data');
      data.add?.(name);
    });
  const edit = (
    <EditPanel
      template={template}
      draftForm={draftForm}
      preview={preview}
      canWrite={canWrite}
      refusal={refusal}
      onSave={save}
      onDeleted={() => {
        forget();
        onDeleted();
      }}
    />
  );
  const shown = <PreviewPanel preview={preview} onAdd={onAdd} withChips={!isWide} />;
  const filling = (
    <DataPanel
      text={data.text}
      onChange={data.write}
      fault={data.fault}
      missing={preview.filled?.missing ?? []}
      onAdd={onAdd}
      caret={data.caret}
      onCaret={data.onCaret}
      ref={data.ref}
    />
  );
  return (
    <>
      <LeaveGuard isDirty={isDirty && canWrite} name={saved.name} onDiscard={discard} />
      {isWide ? (
        <div className="grid grid-cols-2 items-start gap-6">
          {edit}
          <div className="flex min-w-0 flex-col gap-6">
            {shown}
            {filling}
          </div>
        </div>
      ) : (
        <Tabs
          label="Template"
          value={tab}
          onChange={onTab}
          tabs={[
            { value: 'edit', label: 'Edit', content: edit },
            { value: 'preview', label: 'Preview', content: shown },
            { value: 'data', label: 'Data', content: filling },
          ]}
        />
      )}
    </>
  );
}
