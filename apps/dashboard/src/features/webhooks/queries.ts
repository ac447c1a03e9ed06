import type { BodyOf, Jobline, QueryOf, Schemas } from '@jobline/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useAction, useChange, useRefetch } from '../../api/use-change.js';
import { type List, useList } from '../../api/use-list.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';

export type Webhook = Schemas['Webhook'];
export type NewWebhook = Schemas['NewWebhook'];
export type WebhookStats = Schemas['WebhookStats'];
export type EventPattern = Webhook['events'][number];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
type DeliveryFilter = Omit<QueryOf<'listDeliveries'>, 'limit' | 'cursor'>;
type WebhookFields = Pick<Webhook, 'url' | 'events' | 'description'>;

const WEBHOOKS = 'listWebhooks';
const DELIVERIES = 'listDeliveries';
const POLL_EVERY_MS = 5_000;
const STATS_EVERY_MS = 15_000;

export function useWebhooks(): List<Webhook> {
  return { ...useList(WEBHOOKS, undefined, POLL_EVERY_MS), refetching: false };
}

export function useWebhook(id: string): UseQueryResult<Webhook> {
  const api = useApi();
  return useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => api.webhooks.get(id, { signal }),
    refetchInterval: POLL_EVERY_MS,
  });
}

/** How the deliveries to a webhook ended in the last 24 hours. Undefined until it is known, null if that has failed. */
export function useWebhookStats(): (webhook: string) => WebhookStats | undefined | null {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['readWebhookStats'],
    queryFn: ({ signal }) => api.call('readWebhookStats', {}, { signal }),
    refetchInterval: STATS_EVERY_MS,
  });
  return (webhook) => (data ? data.find(({ webhook_id }) => webhook_id === webhook) : error ? null : undefined);
}

/** The deliveries to a webhook, newest first. */
export function useDeliveries(id: string, filter: DeliveryFilter): List<Delivery> {
  return useList(DELIVERIES, filter, POLL_EVERY_MS, { id });
}

export function useDelivery(id: string, delivery: string): UseQueryResult<DeliveryDetail> {
  const api = useApi();
  return useQuery({
    queryKey: ['delivery', delivery],
    queryFn: ({ signal }) => api.webhooks.delivery(id, delivery, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? POLL_EVERY_MS : false),
  });
}

/** What a change may concern. */
const CHANGED = [WEBHOOKS, DELIVERIES, 'readWebhookStats', 'webhook', 'delivery'];

/** Creates a webhook and returns it with its secret, which is not stored anywhere. */
export function useCreateWebhook(): (fields: WebhookFields) => Promise<NewWebhook> {
  const api = useApi();
  const refetch = useRefetch(...CHANGED);
  const keys = useIdempotencyKey('new-webhook');
  return async (body) => {
    const created = await api.webhooks.create(body, { idempotencyKey: keys.of(body) });
    keys.forget();
    void refetch();
    return created;
  };
}

export function useChangeWebhook(id: string) {
  return useChange(
    (api, changes: Partial<WebhookFields & { enabled: boolean }>) => api.webhooks.update(id, changes),
    ...CHANGED,
  );
}

/** Delivers again everything that failed since a time, or was delivered too. */
export function useRecover(id: string) {
  return useChange((api, what: BodyOf<'recoverWebhook'>) => api.webhooks.recover(id, what), ...CHANGED);
}

/** An action of one click that makes a delivery or an attempt. A toast says `done`. */
export function useDeliver(run: (api: Jobline) => Promise<unknown>, done: string) {
  const api = useApi();
  const refetch = useRefetch(...CHANGED);
  return useAction(() => run(api).then(() => void refetch()), done);
}
