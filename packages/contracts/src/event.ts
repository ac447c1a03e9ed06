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
