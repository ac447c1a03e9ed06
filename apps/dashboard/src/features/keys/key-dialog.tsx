import type { ApiKey, Jobline, NewApiKey } from '@jobline/client';
import { KEY_LIMITS } from '@jobline/contracts';
import { useState } from 'react';
import { type FieldValues, useForm } from 'react-hook-form';
import { useRefetch } from '../../api/use-change.js';
import { useUnloadWarning } from '../../drafts/use-draft-form.js';
import { formatCount, formatMoment, isNumberText } from '../../format/index.js';
import { curlOf } from '../../product/curl.js';
import { useApi } from '../../services.js';
import { ConfirmLeave } from '../../shell/confirm-dialog.js';
import { FormDialog, type FormDialogProps } from '../../shell/form-dialog.js';
import { Button, CodeBlock, Copy, Field, Input } from '../../ui/index.js';

interface KeyDialogProps<T extends FieldValues>
  extends Omit<FormDialogProps<T>, 'onSubmit' | 'result' | 'dismissable'> {
  make: (api: Jobline, values: T) => Promise<NewApiKey>;
  /** A sentence that is shown with the new key. */
  note?: string | undefined;
}

/**
 * A form that makes a key and then shows it. The key is only in this component's state: not in a cache, storage or URL.
 * `onClose` navigates, so that the same question protects closing and every other way of leaving.
 */
export function KeyDialog<T extends FieldValues>({ make, note, ...dialog }: KeyDialogProps<T>) {
  const { form, onClose } = dialog;
  const api = useApi();
  const refetch = useRefetch('listApiKeys');
  const [made, setMade] = useState<NewApiKey | null>(null);
  const [isCopied, setCopied] = useState(false);
  // While the request runs, the key may already exist although its value has not arrived.
  const wouldLose = form.formState.isSubmitting || (made !== null && !isCopied);
  useUnloadWarning(wouldLose);
  return (
    <>
      <FormDialog
        {...dialog}
        // Escape or a click outside must not discard what was typed.
        dismissable={made !== null || !form.formState.isDirty}
        onSubmit={async (values) => {
          setMade(await make(api, values));
          void refetch();
        }}
        result={
          made && {
            title: `Key “${made.name}”`,
            description: `Copy the key now. Only its hash is stored, so it cannot be shown again.${note ? ` ${note}` : ''}`,
            body: <NewKeyView created={made} onCopied={() => setCopied(true)} />,
            footer: (
              <Button variant={isCopied ? 'primary' : 'secondary'} onClick={onClose}>
                Done
              </Button>
            ),
          }
        }
      />
      <ConfirmLeave when={wouldLose} title="Close without the key?" verb="Close without it" cancel="Go back">
        The key was not copied, and it cannot be shown again. You would have to revoke it and create another one.
      </ConfirmLeave>
    </>
  );
}

const SAMPLE_JOB = { type: 'generate_pdf', payload: { template: 'invoice' } };

/** The new key, and a request to try it with if it may submit the sample job. */
function NewKeyView({ created, onCopied }: { created: NewApiKey; onCopied: () => void }) {
  const { key, scopes, types } = created;
  const canSubmit = scopes.includes('jobs:write') && (types === null || types.includes(SAMPLE_JOB.type));
  return (
    // Copying by hand counts too.
    <div className="flex flex-col gap-5" onCopy={onCopied}>
      <div className="flex flex-col gap-3 rounded-card border border-line bg-sunken p-3">
        <p className="font-mono text-mono break-all select-all">{key}</p>
        <Copy text={key} label="Copy key" variant="primary" onCopied={onCopied} className="self-start" />
      </div>
      {canSubmit && (
        <div className="flex flex-col gap-1.5">
          <p className="text-body text-muted">Try it: this job renders a sample invoice as a PDF.</p>
          <CodeBlock code={curlOf(location.origin, SAMPLE_JOB, key)} label="curl" onCopied={onCopied} />
        </div>
      )}
    </div>
  );
}

/** Asks for how long the old key continues to work, and shows the new one. */
export function RotateKey({ rotated, onClose }: { rotated: ApiKey; onClose: () => void }) {
  const { id, name, prefix, expires_at: expiresAt } = rotated;
  const form = useForm({ defaultValues: { overlap_hours: String(KEY_LIMITS.usualOverlapHours) } });
  const hours = Number(form.watch('overlap_hours'));
  return (
    <KeyDialog
      title={`Rotate “${name}”?`}
      description={
        <>
          You get a new key with the same name, scopes, job types and expiry. The old key{' '}
          <span className="font-mono">{prefix}…</span> continues to work during the overlap, so that programs can change
          to the new one.
        </>
      }
      action="Rotate"
      form={form}
      onClose={onClose}
      make={(api, { overlap_hours: overlap }) => api.keys.rotate(id, { overlap_hours: Number(overlap) })}
      note={
        hours === 0
          ? 'The old key is rejected from now on.'
          : `The old key works for another ${formatCount(hours, 'hour')}${expiresAt ? ', unless it expires before' : ''}.`
      }
    >
      <Field
        label="Overlap in hours"
        hint={`0 to ${KEY_LIMITS.overlapHours}. With 0, the old key is rejected within five seconds.${
          expiresAt ? ` Both keys expire on ${formatMoment(expiresAt)} at the latest.` : ''
        }`}
        error={form.formState.errors.overlap_hours?.message}
        required
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          {...form.register('overlap_hours', {
            validate: (text) => isNumberText(text) || 'Enter a number of hours, such as 24.',
          })}
        />
      </Field>
    </KeyDialog>
  );
}
