/** How a message reaches its recipient. */
export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Statuses of an email by rank: of several reports the highest counts, in whatever order they arrive. */
export const EMAIL_STATUSES = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained'] as const;
export const SMS_STATUSES = ['queued', 'sent', 'failed', 'delivered'] as const;
export type MessageStatus = (typeof EMAIL_STATUSES)[number];

/** Why nothing more is sent to a recipient. */
export const SUPPRESSION_REASONS = ['bounce', 'complaint'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** The response to a direct send, and the part that all views of a message share. */
export interface SentMessageView {
  id: string;
  status: MessageStatus;
  to: string;
  /** Null: the provider's default. */
  from: string | null;
  /** The provider that sent it; `sandbox` sends nothing. */
  provider: string;
  /** Null if the provider gave no id. */
  provider_message_id: string | null;
}

export interface SentSmsView extends SentMessageView {
  /** Number of SMS segments, of 160 characters each. */
  segments: number;
}

export interface SentEmailView extends SentMessageView {
  subject: string;
}

/** Fields that lists show in addition. */
interface InHistory {
  /** The id of the job that sent the message; null: it was sent directly, or the job was deleted. */
  job_id: string | null;
  /** Why sending failed, or that it is unknown whether the message was sent (`unknown_effect`). */
  error: { code: string; message: string } | null;
  created_at: string;
  updated_at: string;
}

export interface SmsView extends SentSmsView, InHistory {
  message: string;
}

export interface EmailView extends SentEmailView, InHistory {}

/** A provider's report about a message. */
export interface MessageEventView {
  /** The provider's own name of the event. */
  event: string;
  /** The status that the event means; null: it does not change the message's status. */
  status: MessageStatus | null;
  reason: string | null;
  /** Time by the provider's clock; null if the provider gave none. */
  occurred_at: string | null;
  received_at: string;
}

export interface SmsDetailView extends SmsView {
  /** In the order of arrival. */
  events: MessageEventView[];
}

export interface EmailDetailView extends EmailView {
  body: string;
  /** In the order of arrival. */
  events: MessageEventView[];
}

/** An address to which the organization sends nothing. */
export interface SuppressionView {
  id: string;
  address: string;
  reason: SuppressionReason;
  created_at: string;
}
