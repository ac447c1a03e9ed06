import { useState } from 'react';
import { signedCurlOf } from '../../product/curl.js';
import { JobLink } from '../../product/job/job-link.js';
import { StatusBadge } from '../../product/status.js';
import { LoadError } from '../../shell/load-error.js';
import { Badge, Button, CodeBlock, Copy, Dialog, Duration, Json, Skeleton, Time } from '../../ui/index.js';
import { type DeliveryDetail, useDeliver, useDelivery, type Webhook } from './queries.js';
import { DISABLED, RecoverDialog } from './webhook-actions.js';

/** One delivery to a webhook: the body that is sent, and each attempt with the answer. */
export function DeliveryPanel({ webhook, id, onClose }: { webhook: Webhook; id: string; onClose: () => void }) {
  const delivery = useDelivery(webhook.id, id);
  const redeliver = useDeliver((api) => api.webhooks.redeliver(webhook.id, id), 'One more attempt is on its way');
  const { data, error } = delivery;
  const [isAsking, setAsking] = useState(false);
  const disabledReason = webhook.enabled ? undefined : DISABLED;
  return (
    <Dialog
      side="right"
      size="wide"
      onClose={onClose}
      title={data?.event ?? 'Delivery'}
      footer={
        data && (
          <>
            <Copy text={signedCurlOf(webhook.url, data.body)} label="Copy as curl" />
            <Button disabledReason={disabledReason} onClick={() => setAsking(true)}>
              Deliver again from here on
            </Button>
            <Button busy={redeliver.isPending} disabledReason={disabledReason} onClick={() => redeliver.mutate()}>
              Deliver again
            </Button>
          </>
        )
      }
    >
      {isAsking && data && <RecoverDialog id={webhook.id} since={data.created_at} onClose={() => setAsking(false)} />}
      {data ? (
        <Loaded delivery={data} />
      ) : error ? (
        <LoadError of={delivery} what="The delivery" notFound="Delivery not found. It may be older than 30 days." />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </Dialog>
  );
}

function Loaded({ delivery }: { delivery: DeliveryDetail }) {
  const { status, job_id: job, next_attempt_at: next, tries, attempts, body } = delivery;
  return (
    <div className="flex flex-col gap-5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-body">
        <StatusBadge kind="delivery" status={status} />
        {next !== null && (
          <span className="text-muted">
            {Date.parse(next) > Date.now() ? 'next attempt' : 'next attempt due since'} <Time value={next} />
          </span>
        )}
        {job !== undefined && (
          <span className="text-muted">
            of job <JobLink id={job} />
          </span>
        )}
      </p>
      <section aria-label="Attempts" className="flex flex-col gap-2">
        <h3 className="text-body font-medium">Attempts</h3>
        {tries.length === 0 && <p className="text-body text-muted">None yet.</p>}
        <ol className="flex flex-col gap-3">
          {tries.map(({ at, status, error, answer, ms }, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: attempts are only added
            <li key={n} className="flex flex-col gap-1.5">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-body tabular-nums">
                <span className="text-muted">{n + 1}</span>
                <Badge tone={error === null ? 'done' : 'failed'}>{status ?? 'No answer'}</Badge>
                <span className="text-muted">
                  <Time value={at} /> · <Duration ms={ms} />
                </span>
              </p>
              {error !== null && <p className="text-body wrap-anywhere text-muted">{error}</p>}
              {answer !== null && answer !== '' && <CodeBlock label={`answer ${n + 1}`} code={answer} />}
            </li>
          ))}
        </ol>
        {attempts > tries.length && (
          <p className="text-meta text-muted">
            {attempts.toLocaleString()} attempts in all. The first {tries.length} are shown.
          </p>
        )}
      </section>
      <Json label="Request body" value={body} />
      <p className="text-meta text-muted">
        The copied command signs this body with the secret of the webhook, which it reads from the variable{' '}
        <code className="font-mono">WEBHOOK_SECRET</code>. It needs <code className="font-mono">openssl</code>.
      </p>
    </div>
  );
}
