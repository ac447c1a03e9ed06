import type { NewApiKey } from '@jobline/client';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useUnloadWarning } from '../../drafts/use-draft-form.js';
import { curlOf } from '../../product/curl.js';
import { ConfirmLeave } from '../../shell/confirm-dialog.js';
import { FormDialog, type FormDialogProps } from '../../shell/form-dialog.js';
import { Button, CodeBlock, Copy } from '../../ui/index.js';

interface KeyDialogProps<T extends FieldValues>
  extends Omit<FormDialogProps<T>, 'onSubmit' | 'result' | 'dismissable'> {
  /** Makes the key. */
  make: (values: T) => Promise<NewApiKey>;
  /** A sentence that is shown with the new key. */
  note?: string | undefined;
}

/**
 * A form that makes a key and then shows it. The key is only in this component's state: not in a cache, storage or URL.
 * `onClose` navigates, so that the same question protects closing and every other way of leaving.
 */
export function KeyDialog<T extends FieldValues>({ make, note, ...dialog }: KeyDialogProps<T>) {
  const { form, onClose } = dialog;
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
        onSubmit={async (values) => setMade(await make(values))}
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
