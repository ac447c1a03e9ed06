import { useState } from 'react';
import { useUnloadWarning } from '../../drafts/use-unload-warning.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { ConfirmLeave } from '../../shell/confirm-leave.js';
import { Button, Dialog } from '../../ui/index.js';
import { NewSecret } from './new-secret.js';
import { useRotateSecret } from './use-webhooks.js';

/** Makes a new secret and shows it once. The secret is only in this component's state. */
export function RotateDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const rotate = useRotateSecret(id);
  const [secret, setSecret] = useState<string | null>(null);
  const [isCopied, setCopied] = useState(false);
  const wouldLose = secret !== null && !isCopied;
  useUnloadWarning(wouldLose);
  if (secret === null) {
    return (
      <ConfirmDialog
        title="Rotate the secret?"
        verb="Rotate"
        run={async () => setSecret(await rotate())}
        onDone={() => undefined}
        onClose={onClose}
      >
        Requests are signed with a new secret from now on, and also with the old one for 24 hours. Update the receiver
        in this time.
      </ConfirmDialog>
    );
  }
  return (
    <>
      <Dialog
        open
        dismissable={false}
        onOpenChange={() => undefined}
        title="The new secret"
        description="Copy the secret now. It is not shown again. The old one signs too for 24 hours."
        footer={
          <Button variant={isCopied ? 'primary' : 'secondary'} onClick={onClose}>
            Done
          </Button>
        }
      >
        <NewSecret secret={secret} onCopied={() => setCopied(true)} />
      </Dialog>
      <ConfirmLeave when={wouldLose} title="Leave without the secret?" verb="Leave without it" cancel="Go back">
        The secret was not copied, and it cannot be shown again. You can make a new one at any time.
      </ConfirmLeave>
    </>
  );
}
