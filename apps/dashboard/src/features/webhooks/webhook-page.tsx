import { BackLink } from '../../shell/back-link.js';
import { LoadError } from '../../shell/load-error.js';
import { Page } from '../../shell/page-frame.js';
import { Badge, Callout, Fact, Panel, Skeleton, StaleNote, Time } from '../../ui/index.js';
import { DeliveryList } from './delivery-list.js';
import { Health } from './health.js';
import { useWebhook, useWebhookStats } from './queries.js';
import { WebhookActions } from './webhook-actions.js';

const BACK = <BackLink to="/webhooks">Webhooks</BackLink>;

/** One webhook: its settings, its health, and its deliveries. */
export function WebhookPage({ id }: { id: string }) {
  const webhook = useWebhook(id);
  const statsOf = useWebhookStats();
  const { data, error } = webhook;
  if (!data) {
    return (
      <Page title="Webhook" back={BACK}>
        {error ? (
          <LoadError
            of={webhook}
            what="The webhook"
            notFound="Webhook not found. The link may be incomplete, or the webhook was deleted."
          />
        ) : (
          <Skeleton className="h-40 w-full" />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={data.description ?? 'Webhook'}
      back={BACK}
      aside={!data.enabled && <Badge tone="warning">Disabled</Badge>}
      actions={<WebhookActions webhook={data} />}
    >
      <div className="flex flex-col gap-6">
        {error && <StaleNote asOf={webhook.dataUpdatedAt} />}
        {!data.enabled && (
          <Callout tone="warning" title="Nothing is sent to this webhook">
            It was disabled by a user, by an answer 410, or because every attempt of five days failed. After enabling
            it, deliver again what failed meanwhile.
          </Callout>
        )}
        {data.enabled && data.failing_since !== null && (
          <Callout tone="warning" title="Deliveries fail">
            Failing since <Time value={data.failing_since} />, {data.failures.toLocaleString()} in a row. Look at the
            latest answers below. What fails is tried for about 28 hours; deliver it again when the receiver works.
          </Callout>
        )}
        <Panel>
          <dl className="grid gap-x-6 gap-y-2 text-body sm:grid-cols-[8rem_1fr]">
            <Fact name="Address">
              <span className="font-mono text-mono">{data.url}</span>
            </Fact>
            <Fact name="Events">{data.events.includes('*') ? 'all' : data.events.join(', ')}</Fact>
            <Fact name="Last 24 hours">
              <Health stats={statsOf(id)} />
            </Fact>
            <Fact name="Last success">
              <Time value={data.last_success_at} unknown="never" />
            </Fact>
            <Fact name="Added">
              <Time value={data.created_at} />
            </Fact>
          </dl>
        </Panel>
        <DeliveryList webhook={data} />
      </div>
    </Page>
  );
}
