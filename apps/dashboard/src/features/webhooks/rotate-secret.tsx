import { useState } from 'react';
import { useUnloadWarning } from '../../drafts/use-draft-form.js';
import { ConfirmDialog, ConfirmLeave } from '../../shell/confirm-dialog.js';
import { Button, Callout, Confirm, Copy, Dialog } from '../../ui/index.js';
import { useRotateSecret } from './queries.js';

const QUESTION = { title: 'Close without the secret?', verb: 'Close without it', cancel: 'Go back' };
const LOSS = 'The secret was not copied, and it cannot be shown again. You can make a new one at any time.';

/** Makes a new secret and shows it once. The secret is only in this component's state. */
export function RotateDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const rotate = useRotateSecret(id);
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  // While the request runs, there may already be a new secret that has not arrived.
  const wouldLose = isRotating || (secret !== null && !isCopied);
  useUnloadWarning(wouldLose);
  return (
    <>
      {secret === null ? (
        <ConfirmDialog
          title="Rotate the secret?"
          verb="Rotate"
          run={async () => {
            setRotating(true);
            await rotate()
              .then(setSecret)
              .finally(() => setRotating(false));
          }}
          onDone={() => undefined}
          onClose={onClose}
        >
          Requests are signed with a new secret from now on, and also with the old one for 24 hours. Update the receiver
          in this time.
        </ConfirmDialog>
      ) : (
        <Dialog
          open
          dismissable={false}
          onOpenChange={() => undefined}
          title="The new secret"
          description="Copy the secret now. It is not shown again. The old one signs too for 24 hours."
          footer={
            <Button
              variant={isCopied ? 'primary' : 'secondary'}
              onClick={() => (isCopied ? onClose() : setAsking(true))}
            >
              Done
            </Button>
          }
        >
          <NewSecret secret={secret} onCopied={() => setCopied(true)} />
        </Dialog>
      )}
      <Confirm {...QUESTION} open={isAsking} onOpenChange={setAsking} onConfirm={onClose}>
        {LOSS}
      </Confirm>
      <ConfirmLeave {...QUESTION} when={wouldLose}>
        {LOSS}
      </ConfirmLeave>
    </>
  );
}

/** A secret that is shown once. Absent: the webhook was created by an earlier try of the same request. */
export function NewSecret({ secret, onCopied }: { secret: string | undefined; onCopied: () => void }) {
  if (secret === undefined) {
    return (
      <Callout tone="warning">
        An earlier try has created the webhook, so its secret cannot be shown. Rotate it to get a new one.
      </Callout>
    );
  }
  return (
    // Copying by hand counts too.
    <div className="flex flex-col gap-3 rounded-card border border-line bg-sunken p-3" onCopy={onCopied}>
      <p className="font-mono text-mono break-all select-all">{secret}</p>
      <Copy text={secret} label="Copy secret" variant="primary" onCopied={onCopied} className="self-start" />
    </div>
  );
}
