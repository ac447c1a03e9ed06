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
  'webhook.disabled',
  'alert.raised',
  'alert.resolved',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Sent to a webhook on request, whatever events it has chosen. */
export const TEST_EVENT = 'test.ping';

/** What a webhook can choose: an event, all events of a group, or all. */
export const EVENT_PATTERNS: readonly string[] = [
  ...EVENT_TYPES,
  ...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`)),
  '*',
];

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The pauses before the second and each later attempt of a delivery, in seconds. */
export const DELIVERY_PAUSES_S: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

export const EVENT_LIMITS = {
  /** The body of an event. */
  bodyBytes: 64 * 1024,
  /** Deliveries that are under way to one webhook, or to one host of callbacks. */
  concurrency: 20,
  /** Deliveries of an organization that are under way, to all receivers together. */
  orgConcurrency: 100,
  /** The part of an answer that is kept. */
  answerBytes: 1_024,
  /** A webhook whose attempts all failed for this long is disabled. */
  disableAfterMs: 5 * 24 * 3_600_000,
  keptDays: 30,
} as const;

/** A webhook, as its endpoints show it. */
export interface WebhookView {
  id: string;
  url: string;
  events: string[];
  description: string | null;
  enabled: boolean;
  /** Only in the response that creates it. */
  secret?: string;
  created_at: string;
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
