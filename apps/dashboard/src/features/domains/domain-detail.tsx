import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { take } from '../../api/api-client.js';
import { formatClock, formatMoment } from '../../format/index.js';
import { useApi } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { Button, Callout, CopyButton, toast } from '../../ui/index.js';
import { type Domain, refreshDomains, useDomainCheck } from './use-domains.js';

/** The details of a domain: the DNS record to publish, the result of the last check, and the actions. */
export function DomainDetail({ domain }: { domain: Domain }) {
  const canChange = useCan()('senders');
  const [removing, setRemoving] = useState(false);
  const check = useDomainCheck(domain, canChange);
  const isPending = domain.status === 'pending';
  return (
    <section aria-label={domain.domain} className="flex flex-col gap-4 border-t border-line p-4 sm:pl-10">
      <p className="max-w-3xl text-body text-muted">
        {isPending
          ? 'Publish this record in the DNS of the domain. Emails can be sent from the domain when the record is found.'
          : `Verified ${formatMoment(domain.verified_at ?? domain.created_at)}. It stays verified without the record.`}
      </p>
      <dl className="grid max-w-3xl gap-x-6 gap-y-3 sm:grid-cols-[4rem_1fr]">
        <RecordField name="Type" value={domain.record.type} />
        <RecordField name="Name" value={domain.record.name} />
        <RecordField name="Value" value={domain.record.value} />
      </dl>
      {canChange && isPending && (
        <div role="status" className="max-w-3xl">
          {check.error ? (
            <Callout tone="danger" title="The record could not be checked">
              {check.error.message}
            </Callout>
          ) : (
            check.data && (
              <Callout tone="warning" title={`Not found at ${formatClock(check.dataUpdatedAt)}`}>
                {check.data.reason}
              </Callout>
            )
          )}
        </div>
      )}
      {canChange ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          {isPending && (
            <Button busy={check.isFetching} onClick={() => void check.refetch()}>
              Verify
            </Button>
          )}
          <Button variant="ghost" onClick={() => setRemoving(true)}>
            Remove domain
          </Button>
          {isPending && (
            <span className="text-meta text-muted">
              Checked automatically while this is open: every 30 seconds at first, later every 5 minutes.
            </span>
          )}
        </div>
      ) : (
        <p className="text-meta text-muted">Owners and admins can verify and remove this domain.</p>
      )}
      {removing && <RemoveDomain domain={domain} onClose={() => setRemoving(false)} />}
    </section>
  );
}

/** A part of the DNS record. It is never shortened, because the user copies it to another site. */
function RecordField({ name, value }: { name: string; value: string }) {
  return (
    <div className="grid gap-x-6 gap-y-0.5 sm:col-span-2 sm:grid-cols-subgrid">
      <dt className="text-meta leading-6 text-muted">{name}</dt>
      <dd className="flex min-w-0 items-start gap-2">
        <span className="min-w-0 font-mono text-mono leading-6 break-all">{value}</span>
        <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} />
      </dd>
    </div>
  );
}

function RemoveDomain({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Remove ${domain.domain}?`}
      verb="Remove"
      run={async () => {
        await take(api.DELETE('/org/domains/{id}', { params: { path: { id: domain.id } } }));
      }}
      onDone={() => {
        toast.success(`${domain.domain} is removed`);
        void navigate({ to: '/domains', search: {}, replace: true });
        void refreshDomains(queries);
      }}
      onClose={onClose}
    >
      Emails can no longer be sent from this domain, including those of waiting jobs. To use it again, you must publish
      a new record.
    </ConfirmDialog>
  );
}
