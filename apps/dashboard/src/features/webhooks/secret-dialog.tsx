import { useState } from 'react';
import { type FieldValues, useForm } from 'react-hook-form';
import { useUnloadWarning } from '../../drafts/use-draft-form.js';
import { ConfirmLeave } from '../../shell/confirm-dialog.js';
import { FormDialog, type FormDialogProps } from '../../shell/form-dialog.js';
import { Button, Callout, Copy } from '../../ui/index.js';
import { useRotateSecret } from './queries.js';

interface SecretDialogProps<T extends FieldValues>
  extends Omit<FormDialogProps<T>, 'onSubmit' | 'result' | 'dismissable'> {
  /** Makes the secret. Undefined: an earlier try of the same request has made it, so it cannot be shown. */
  make: (values: T) => Promise<string | undefined>;
  /** What the user must know about the new secret. */
  note?: string | undefined;
  /** Called when the user has seen the secret. It navigates, so that one question protects every way of leaving. */
  onDone: () => void;
}

/** A form that makes a secret and then shows it once. The secret is only in this component's state. */
export function SecretDialog<T extends FieldValues>({ make, note = '', onDone, ...dialog }: SecretDialogProps<T>) {
  const { isSubmitting, isDirty } = dialog.form.formState;
  const [made, setMade] = useState<{ secret: string | undefined } | null>(null);
  const [isCopied, setCopied] = useState(false);
  const copied = () => setCopied(true);
  const secret = made?.secret;
  // While the request runs, there may already be a new secret that has not arrived.
  const wouldLose = isSubmitting || (secret !== undefined && !isCopied);
  useUnloadWarning(wouldLose);
  return (
    <>
      <FormDialog
        {...dialog}
        onClose={made ? onDone : dialog.onClose}
        // Escape or a click outside must not discard what was typed.
        dismissable={made !== null || !isDirty}
        onSubmit={async (values) => setMade({ secret: await make(values) })}
        result={
          made && {
            title: 'The secret of the webhook',
            description: `Copy the secret now. It is not shown again. ${note}`,
            body:
              secret === undefined ? (
                <Callout tone="warning">
                  An earlier try has created the webhook, so its secret cannot be shown. Rotate it to get a new one.
                </Callout>
              ) : (
                // Copying by hand counts too.
                <div className="flex flex-col gap-3 rounded-card border border-line bg-sunken p-3" onCopy={copied}>
                  <p className="font-mono text-mono break-all select-all">{secret}</p>
                  <Copy text={secret} label="Copy secret" variant="primary" onCopied={copied} className="self-start" />
                </div>
              ),
            footer: (
              <Button variant={isCopied ? 'primary' : 'secondary'} onClick={onDone}>
                Done
              </Button>
            ),
          }
        }
      />
      <ConfirmLeave when={wouldLose} title="Close without the secret?" verb="Close without it" cancel="Go back">
        The secret was not copied, and it cannot be shown again. You can make a new one at any time.
      </ConfirmLeave>
    </>
  );
}

/** Replaces the secret of a webhook. `onClose` navigates. */
export function RotateSecret({ id, onClose }: { id: string; onClose: () => void }) {
  const rotate = useRotateSecret(id);
  const form = useForm();
  return (
    <SecretDialog
      title="Rotate the secret?"
      action="Rotate"
      form={form}
      make={rotate}
      note="The old one signs too for 24 hours."
      onDone={onClose}
      onClose={onClose}
    >
      <p className="text-body">
        Requests are signed with a new secret from now on, and also with the old one for 24 hours. Update the receiver
        in this time.
      </p>
    </SecretDialog>
  );
}
