import type { NewApiKey } from '@jobline/client';
import { curlOf } from '../../product/curl.js';
import { CodeBlock, Copy } from '../../ui/index.js';

const SAMPLE_JOB = { type: 'generate_pdf', payload: { template: 'invoice' } };

/** The new key, and a request to try it with if it may submit the sample job. */
export function NewKeyView({ created, onCopied }: { created: NewApiKey; onCopied: () => void }) {
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
