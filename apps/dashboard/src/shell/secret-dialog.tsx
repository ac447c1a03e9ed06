import { type ReactNode, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useUnloadWarning } from '../drafts/use-draft-form.js';
import { Copy } from '../ui/index.js';
import { ConfirmLeave } from './confirm-dialog.js';
import { FormDialog, type FormDialogProps } from './form-dialog.js';

export interface NewSecret {
  title: string;
  description: string;
  /** Undefined: it exists, but it cannot be shown. */
  secret: string | undefined;
  /** Renders what is below the secret. Copying from there counts too. */
  more?: (onCopied: () => void) => ReactNode;
}

interface SecretDialogProps<T extends FieldValues>
  extends Omit<FormDialogProps<T>, 'onSubmit' | 'result' | 'dismissable'> {
  /** The word for the secret: "key". */
  what: string;
  make: (values: T) => Promise<NewSecret>;
  /** What to do without the secret, as a sentence. */
  ifLost: string;
  /** Called when the user has seen the secret. Default: `onClose`. */
  onDone?: () => void;
}

/**
 * A form that makes a secret and then shows it once. The secret is only in this component's state: not in a cache,
 * storage or URL. `onClose` and `onDone` navigate, so that one question protects every way of leaving.
 */
export function SecretDialog<T extends FieldValues>(props: SecretDialogProps<T>) {
  const { what, make, ifLost, onClose, onDone = onClose, ...dialog } = props;
  const { isSubmitting, isDirty } = dialog.form.formState;
  const [made, setMade] = useState<NewSecret | null>(null);
  const [isCopied, setCopied] = useState(false);
  const copied = () => setCopied(true);
  // While the request runs, there may already be a secret that has not arrived.
  const wouldLose = isSubmitting || (made?.secret !== undefined && !isCopied);
  useUnloadWarning(wouldLose);
  return (
    <>
      <FormDialog
        {...dialog}
        onClose={made ? onDone : onClose}
        // Escape or a click outside must not discard what was typed.
        dismissable={made !== null || !isDirty}
        onSubmit={async (values) => setMade(await make(values))}
        result={
          made && {
            title: made.title,
            description: made.description,
            body: (
              // Copying by hand counts too.
              <div className="flex flex-col gap-5" onCopy={copied}>
                {made.secret !== undefined && (
                  <div className="flex flex-col gap-3 rounded-card border border-line bg-sunken p-3">
                    <p className="font-mono text-mono break-all select-all">{made.secret}</p>
                    <Copy
                      text={made.secret}
                      label={`Copy ${what}`}
                      variant="primary"
                      onCopied={copied}
                      className="self-start"
                    />
                  </div>
                )}
                {made.more?.(copied)}
              </div>
            ),
            isTaken: isCopied,
          }
        }
      />
      <ConfirmLeave when={wouldLose} title={`Close without the ${what}?`} verb="Close without it" cancel="Go back">
        The {what} was not copied, and it cannot be shown again. {ifLost}
      </ConfirmLeave>
    </>
  );
}
