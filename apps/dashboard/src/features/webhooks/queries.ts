import type { Schemas } from '@jobline/client';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type List, useList } from '../../api/use-list.js';
import { useIdempotencyKey } from '../../drafts/use-idempotency-key.js';
import { useApi } from '../../services.js';
import { toast } from '../../ui/index.js';

export type Webhook = Schemas['Webhook'];
export type WebhookStats = Schemas['WebhookStats'];
export type EventPattern = Webhook['events'][number];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
type DeliveryStatus = Delivery['status'];
export type WebhookFields = Pick<Webhook, 'url' | 'events' | 'description'>;

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
export type StatsOf = (webhook: string) => WebhookStats | undefined | null;

export function useWebhookStats(): StatsOf {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['readWebhookStats'],
    queryFn: ({ signal }) => api.call('readWebhookStats', {}, { signal }),
    refetchInterval: STATS_EVERY_MS,
  });
  return (webhook) => (data ? data.find(({ webhook_id }) => webhook_id === webhook) : error ? null : undefined);
}

/** The deliveries to a webhook, newest first. */
export function useDeliveries(id: string, status: DeliveryStatus | undefined): List<Delivery> {
  return useList(DELIVERIES, status && { status }, POLL_EVERY_MS, { id });
}

export function useDelivery(id: string, delivery: string): UseQueryResult<DeliveryDetail> {
  const api = useApi();
  return useQuery({
    queryKey: ['delivery', delivery],
    queryFn: ({ signal }) => api.webhooks.delivery(id, delivery, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? POLL_EVERY_MS : false),
  });
}

export function useCreateWebhook(): (fields: WebhookFields) => Promise<Webhook> {
  const api = useApi();
  const refresh = useRefresh();
  const keys = useIdempotencyKey('new-webhook');
  return async (body) => {
    const created = await api.webhooks.create(body, { idempotencyKey: keys.of(body) });
    keys.forget();
    void refresh();
    return created;
  };
}

export function useChangeWebhook(
  id: string,
): (changes: Partial<WebhookFields & { enabled: boolean }>) => Promise<void> {
  const api = useApi();
  const refresh = useRefresh();
  return async (body) => {
    await api.webhooks.update(id, body);
    await refresh();
  };
}

/** Makes a new secret and returns it. It is not stored anywhere. */
export function useRotateSecret(id: string): () => Promise<string> {
  const api = useApi();
  return async () => (await api.webhooks.rotate(id)).secret;
}

/** Delivers again everything that failed since a time. */
export function useRecover(id: string): (since: string) => Promise<void> {
  const api = useApi();
  const refresh = useRefresh();
  return async (since) => {
    await api.webhooks.recover(id, { since });
    await refresh();
  };
}

/** An action of one click. A toast says whether it succeeded. */
function useAction(run: () => Promise<unknown>, done: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async () => void (await run()),
    onSuccess: () => {
      toast.success(done);
      void refresh();
    },
    onError: ({ message }) => toast.error(message),
  });
}

export function useTestEvent(id: string) {
  const api = useApi();
  return useAction(() => api.webhooks.test(id), 'A test event is on its way');
}

export function useRedeliver(id: string, delivery: string) {
  const api = useApi();
  return useAction(() => api.webhooks.redeliver(id, delivery), 'One more attempt is on its way');
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    const keys = [WEBHOOKS, DELIVERIES, 'readWebhookStats', 'webhook', 'delivery'];
    await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
  };
}
