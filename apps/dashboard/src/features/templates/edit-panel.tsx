import { rolesWith } from '@jobline/contracts';
import { useNavigate } from '@tanstack/react-router';
import { Check, CopyPlus, PencilLine, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../api/use-change.js';
import type { FilledTemplate, TemplateSource } from '../../api/use-filled-template.js';
import type { DraftForm } from '../../drafts/use-draft-form.js';
import { SegmentCounter, toGsm7 } from '../../product/segment-counter.js';
import { useCan, useMe } from '../../session/use-session.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { ControlField, TextField } from '../../shell/control-field.js';
import { Button, Callout, Field, IconButton, Panel, Select, Textarea, Time } from '../../ui/index.js';
import { KINDS, kindOf, type Template, type Values, valuesOf } from './model.js';
import { useSaveTemplate } from './queries.js';

interface EditPanelProps {
  template: Template | null;
  draftForm: DraftForm<Values>;
  preview: FilledTemplate<TemplateSource>;
  /** Why saving failed, if no field shows it. */
  formError: string | null;
  onSave: () => void;
  onDeleted: () => void;
}

const OPTIONS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

/** The form with name, kind, subject and body. It is read-only for users who may not change templates. */
export function EditPanel({ template, draftForm, preview, formError, onSave, onDeleted }: EditPanelProps) {
  const canWrite = useCan()('templates');
  const { form, values, isDirty } = draftForm;
  const { errors, isSubmitting } = form.formState;
  const kind = kindOf(values);
  const plain = toGsm7(values.body);
  const replaceCharacters = () => form.setValue('body', plain, { shouldValidate: form.formState.isSubmitted });
  const state = isSubmitting ? 'Saving…' : isDirty ? 'Not saved' : template ? 'Saved' : 'New';
  return (
    <Panel
      title={template ? 'Edit' : 'New template'}
      actions={
        canWrite && (
          <>
            <SavedState template={template} state={state} />
            {template && <Duplicate template={template} />}
            {template && <Delete template={template} onDeleted={onDeleted} />}
            <Button variant="primary" busy={isSubmitting} onClick={onSave} title="Ctrl+S" aria-keyshortcuts="Control+S">
              Save
            </Button>
          </>
        )
      }
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (canWrite) onSave();
        }}
        className="flex flex-col gap-4"
      >
        {!canWrite && <WhoCanChange />}
        {formError !== null && (
          <Callout tone="danger" role="alert" title="Not saved">
            {formError}
          </Callout>
        )}
        <div className="grid gap-4 sm:grid-cols-[1fr_8rem]">
          <TextField
            form={form}
            name="name"
            label="Name"
            readOnly={!canWrite}
            rules={{
              validate: (name) => name.trim() !== '' || 'Enter a name. Jobs refer to the template by its name.',
            }}
            required
          />
          <ControlField control={form.control} name="kind" label="Kind">
            {(bound) => <Select options={OPTIONS} {...bound} disabled={!canWrite} />}
          </ControlField>
        </div>
        {kind === 'email' && <TextField form={form} name="subject" label="Subject" readOnly={!canWrite} />}
        <div className="flex flex-col gap-2">
          <Field label="Body" error={errors.body?.message} hint={HINTS[kind]} required>
            <Textarea
              mono={kind !== 'sms'}
              rows={kind === 'sms' ? 6 : 16}
              spellCheck={kind === 'sms'}
              readOnly={!canWrite}
              {...form.register('body', { required: 'Enter the body.' })}
            />
          </Field>
          {kind === 'sms' && (
            <div>
              <p className="mb-1 text-meta text-muted">Rendered with the data:</p>
              <SegmentCounter
                text={preview.filled?.body ?? ''}
                onReplace={canWrite && plain !== values.body ? replaceCharacters : undefined}
              />
            </div>
          )}
        </div>
      </form>
    </Panel>
  );
}

/** The time is outside the live region, because screen readers would read each update. */
function SavedState({ template, state }: { template: Template | null; state: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-meta whitespace-nowrap text-muted">
      {state === 'Saved' && <Check size={14} className="text-done" />}
      {(state === 'Not saved' || state === 'New') && <PencilLine size={14} />}
      <span role="status">{state}</span>
      {state === 'Saved' && <Time value={template?.updated_at} />}
    </span>
  );
}

const HINTS = {
  email: 'HTML or plain text, in Liquid: {{ name }}, {% if link %}…{% endif %}.',
  sms: 'Plain text, in Liquid: {{ name }}.',
  pdf: 'HTML, in Liquid: {{ name }}, {% for item in items %}…{% endfor %}.',
} as const;

function WhoCanChange() {
  const { org } = useMe();
  const roles = rolesWith('templates').map((role) => `${role}s`);
  return (
    <Callout>
      Only {roles.join(' and ')} of {org.name} can change templates. You can preview and use them.
    </Callout>
  );
}

/** Stores a copy of the saved template and opens it. */
function Duplicate({ template }: { template: Template }) {
  const navigate = useNavigate();
  const store = useSaveTemplate();
  const copy = useAction(async () => {
    const { id } = await store(null, { ...valuesOf(template), name: `${template.name.slice(0, 190)} (copy)` });
    await navigate({ to: '/templates', search: { id } });
  });
  return <IconButton label="Duplicate template" icon={<CopyPlus />} onClick={() => copy.mutate()} />;
}

function Delete({ template: { id, name }, onDeleted }: { template: Template; onDeleted: () => void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <IconButton label="Delete template" icon={<Trash2 />} onClick={() => setAsking(true)} />
      {isAsking && (
        <DeleteDialog
          title={`Delete “${name}”?`}
          from="listTemplates"
          remove={(api) => api.call('deleteTemplate', { path: { id } })}
          verb="Delete template"
          done={`“${name}” is deleted`}
          onDeleted={onDeleted}
          onClose={() => setAsking(false)}
        >
          Jobs that use this template will fail, including waiting jobs. This cannot be undone.
        </DeleteDialog>
      )}
    </>
  );
}
