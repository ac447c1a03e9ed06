import type { Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { patchList } from '../../api/use-list.js';
import { formatClock, formatMoment } from '../../format/index.js';
import { useServices } from '../../services.js';
import { useCan } from '../../session/use-session.js';
import { DeleteDialog } from '../../shell/confirm-dialog.js';
import { announce, Button, Callout, CopyButton } from '../../ui/index.js';

export type Domain = Schemas['Domain'];

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
        {(['type', 'name', 'value'] as const).map((part) => (
          // It is never shortened, because the user copies it to another site.
          <div key={part} className="grid gap-x-6 gap-y-0.5 sm:col-span-2 sm:grid-cols-subgrid">
            <dt className="text-meta leading-6 text-muted capitalize">{part}</dt>
            <dd className="flex min-w-0 items-start gap-2">
              <span className="min-w-0 font-mono text-mono leading-6 break-all">{domain.record[part]}</span>
              <CopyButton text={domain.record[part]} label={`Copy ${part}`} />
            </dd>
          </div>
        ))}
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
      {removing && (
        <DeleteDialog
          from="listDomains"
          remove={(api) => api.call('deleteDomain', { path: { id: domain.id } })}
          title={`Remove ${domain.domain}?`}
          done={`${domain.domain} is removed`}
          page="/domains"
          onClose={() => setRemoving(false)}
        >
          Emails can no longer be sent from this domain, including those of waiting jobs. To use it again, you must
          publish a new record.
        </DeleteDialog>
      )}
    </section>
  );
}

const MIN_CHECK_INTERVAL_MS = 30_000;
const MAX_CHECK_INTERVAL_MS = 300_000;

/** Checks the DNS record of a pending domain while its row is open: every 30 s at first, at most every 5 min later. */
function useDomainCheck(domain: Domain, enabled: boolean) {
  const { api, queries } = useServices();
  const [openedAt] = useState(Date.now);
  const intervalMs = () =>
    Math.min(Math.max((Date.now() - openedAt) / 2, MIN_CHECK_INTERVAL_MS), MAX_CHECK_INTERVAL_MS);
  return useQuery({
    queryKey: ['domain-check', domain.id],
    queryFn: async () => {
      const { reason, ...now } = await api.call('verifyDomain', { path: { id: domain.id } });
      if (reason === null) {
        announce(`${now.domain} is verified`);
        await patchList(queries, 'listDomains', (rows) => rows.map((row) => (row.id === now.id ? now : row)));
        void queries.invalidateQueries({ queryKey: ['listDomains'] });
      }
      return { reason };
    },
    enabled: enabled && domain.status === 'pending',
    initialData: null, // the first check runs after 30 s, because the user has not published the record yet
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: intervalMs,
    refetchOnReconnect: false,
    retry: false,
  });
}
