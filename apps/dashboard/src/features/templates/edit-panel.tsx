import { rolesWith } from '@jobline/contracts';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Controller } from 'react-hook-form';
import type { DraftForm } from '../../drafts/use-draft-form.js';
import { SegmentCounter } from '../../product/sms/segment-counter.js';
import { replaceOffenders } from '../../product/sms/segments.js';
import { useMe } from '../../session/use-session.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { Button, Callout, Field, IconButton, Input, Panel, Select, Textarea, toast } from '../../ui/index.js';
import { SavedState } from './saved-state.js';
import { KINDS, kindOf, type Template, type Values } from './template-values.js';
import type { Previewed } from './use-preview.js';
import { useDeleteTemplate } from './use-templates.js';

export interface EditPanelProps {
  template: Template | null;
  draftForm: DraftForm<Values>;
  preview: Previewed;
  canWrite: boolean;
  /** What was wrong with saving that no field says. */
  refusal: string | null;
  onSave: () => void;
  onDeleted: () => void;
}

const OPTIONS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

/** Name, kind, subject and body. Read-only to those who may not change them. */
export function EditPanel({ template, draftForm, preview, canWrite, refusal, onSave, onDeleted }: EditPanelProps) {
  const { form, values, isDirty } = draftForm;
  const { errors, isSubmitting } = form.formState;
  const kind = kindOf(values);
  return (
    <Panel
      title={template ? 'Edit' : 'New template'}
      actions={
        canWrite && (
          <>
            <SavedState template={template} isDirty={isDirty} isSaving={isSubmitting} />
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
        {!canWrite && <WhoMay />}
        {refusal !== null && (
          <Callout tone="danger" role="alert" title="Not saved">
            {refusal}
          </Callout>
        )}
        <div className="grid gap-4 sm:grid-cols-[1fr_8rem]">
          <Field label="Name" error={errors.name?.message} required>
            <Input
              autoComplete="off"
              readOnly={!canWrite}
              {...form.register('name', {
                validate: (name) => name.trim() !== '' || 'Give it a name; jobs call it by that.',
              })}
            />
          </Field>
          <Controller
            control={form.control}
            name="kind"
            render={({ field }) => (
              <Field label="Kind" error={errors.kind?.message}>
                <Select
                  options={OPTIONS}
                  value={field.value}
                  onChange={field.onChange}
                  ref={field.ref}
                  disabled={!canWrite}
                />
              </Field>
            )}
          />
        </div>
        {kind === 'email' && (
          <Field label="Subject" error={errors.subject?.message}>
            <Input autoComplete="off" readOnly={!canWrite} {...form.register('subject')} />
          </Field>
        )}
        <div className="flex flex-col gap-2">
          <Field label="Body" error={errors.body?.message} hint={HINTS[kind]} required>
            <Textarea
              mono={kind !== 'sms'}
              rows={kind === 'sms' ? 6 : 16}
              spellCheck={kind === 'sms'}
              readOnly={!canWrite}
              {...form.register('body', { required: 'Write the body.' })}
            />
          </Field>
          {kind === 'sms' && (
            <FilledCounter
              body={values.body}
              filled={preview.filled?.body ?? ''}
              onChange={
                canWrite ? (body) => form.setValue('body', body, { shouldValidate: form.formState.isSubmitted }) : null
              }
            />
          )}
        </div>
      </form>
    </Panel>
  );
}

const HINTS = {
  email: 'HTML or plain text, in Liquid: {{ name }}, {% if link %}…{% endif %}.',
  sms: 'Plain text, in Liquid: {{ name }}.',
  pdf: 'HTML, in Liquid: {{ name }}, {% for item in items %}…{% endfor %}.',
} as const;

/** Counts what is sent and not what is written: braces are no part of the text. */
function FilledCounter(props: { body: string; filled: string; onChange: ((body: string) => void) | null }) {
  const { body, filled, onChange } = props;
  const replaced = replaceOffenders(body);
  const canReplace = onChange !== null && replaced !== body;
  return (
    <div>
      <p className="mb-1 text-meta text-muted">As filled with the data:</p>
      <SegmentCounter text={filled} onReplace={canReplace ? () => onChange(replaced) : undefined} />
    </div>
  );
}

function WhoMay() {
  const { org } = useMe();
  const roles = rolesWith('templates').map((role) => `${role}s`);
  return (
    <Callout>
      Only {roles.join(' and ')} of {org.name} change templates. You can preview them, and send with them.
    </Callout>
  );
}

function Delete({ template: { id, name }, onDeleted }: { template: Template; onDeleted: () => void }) {
  const [asks, setAsks] = useState(false);
  const remove = useDeleteTemplate();
  return (
    <>
      <IconButton label="Delete template" icon={<Trash2 />} onClick={() => setAsks(true)} />
      {asks && (
        <ConfirmDialog
          title={`Delete “${name}”?`}
          verb="Delete template"
          run={() => remove(id)}
          onDone={() => {
            toast.success(`“${name}” is deleted`);
            onDeleted();
          }}
          onClose={() => setAsks(false)}
        >
          Jobs that name it fail from now on, those that wait included. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
