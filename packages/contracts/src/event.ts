/** Events that the service can send to webhooks. */
export const EVENT_TYPES = [
  'job.done',
  'job.failed',
  'message.sent',
  'message.delivered',
  'message.failed',
  'message.bounced',
  'message.complained',
  'payment.paid',
  'payment.failed',
  'schedule.skipped',
  'bulk.done',
  'webhook.disabled',
  'alert.raised',
  'alert.resolved',
] as const;

/** Sent to a webhook on request, whatever events it has chosen. */
export const TEST_EVENT = 'test.ping';

/** The events of deliveries to webhooks. */
export const DELIVERED_EVENTS = [...EVENT_TYPES, TEST_EVENT] as const;

/** What a webhook can choose: an event, all events of a group, or all. */
export const EVENT_PATTERNS: readonly string[] = [
  ...EVENT_TYPES,
  ...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`)),
  '*',
];

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A webhook as the request that creates it is answered. */
export interface NewWebhookView {
  id: string;
  url: string;
  events: string[];
  description: string | null;
  enabled: boolean;
  /** Shown once: absent if the request is repeated. */
  secret?: string;
  created_at: string;
}

/** A webhook, as its endpoints show it. */
export interface WebhookView extends Omit<NewWebhookView, 'secret'> {
  /** Since when every attempt has failed; null: the latest succeeded, or there was none. */
  failing_since: string | null;
  last_success_at: string | null;
  /** How many attempts in a row have failed. */
  failures: number;
}

export interface DeliveryView {
  id: string;
  event: string;
  status: DeliveryStatus;
  attempts: number;
  /** Null: there was no answer. */
  last_status: number | null;
  last_error: string | null;
  next_attempt_at: string | null;
  created_at: string;
  /** Only for events about a job that is stored, its messages or its payment. */
  job_id?: string;
}

export interface DeliveryTryView {
  at: string;
  status: number | null;
  error: string | null;
  answer: string | null;
  ms: number;
}

export interface DeliveryDetailView extends DeliveryView {
  /** The body that is sent. */
  body: object;
  tries: DeliveryTryView[];
}

/** The name by which the deliveries to one receiver are counted: the id of the webhook, or the host of the callback URL. */
export function receiverOf(webhookId: string | null, callbackUrl: string | null): string {
  if (webhookId !== null) return webhookId;
  try {
    return new URL(callbackUrl ?? '').host;
  } catch {
    // A URL that was valid once must not stop the others.
    return 'invalid';
  }
}
