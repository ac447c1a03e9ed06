import { Callout, Copy } from '../../ui/index.js';

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
