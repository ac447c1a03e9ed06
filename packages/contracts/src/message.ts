/** How a message reaches its recipient. */
export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Where a message is, by rank: of several reports the highest counts, in whatever order they come. */
export const EMAIL_STATUSES = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained'] as const;
export const SMS_STATUSES = ['queued', 'sent', 'failed', 'delivered'] as const;
export type MessageStatus = (typeof EMAIL_STATUSES)[number];

/** Why somebody is written to no more. */
export const SUPPRESSION_REASONS = ['bounce', 'complaint'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** The answer to a direct send, and what all views of a message have. */
export interface SentMessageView {
  id: string;
  status: MessageStatus;
  to: string;
  /** Null: the provider's default. */
  from: string | null;
  /** The adapter that sent it; `sandbox` sends nothing. */
  provider: string;
  /** Null where the provider gave none. */
  provider_message_id: string | null;
}

export interface SentSmsView extends SentMessageView {
  /** Of 160 characters each. */
  segments: number;
}

export interface SentEmailView extends SentMessageView {
  subject: string;
}

/** What lists show beside that. */
interface InHistory {
  /** The job that sent it, by its id; null: sent directly, or the job is kept no more. */
  job_id: string | null;
  /** Why it failed, or that nobody knows whether it was sent (`unknown_effect`). */
  error: { code: string; message: string } | null;
  created_at: string;
  updated_at: string;
}

export interface SmsView extends SentSmsView, InHistory {
  message: string;
}

export interface EmailView extends SentEmailView, InHistory {}

/** What a provider has told of a message. */
export interface MessageEventView {
  /** In the provider's own word. */
  event: string;
  /** What it means; null: nothing for the message's status. */
  status: MessageStatus | null;
  reason: string | null;
  /** By the provider's clock; null if it did not say. */
  occurred_at: string | null;
  received_at: string;
}

export interface SmsDetailView extends SmsView {
  /** In the order in which they came. */
  events: MessageEventView[];
}

export interface EmailDetailView extends EmailView {
  body: string;
  /** In the order in which they came. */
  events: MessageEventView[];
}

/** An address that the organization sends nothing to. */
export interface SuppressionView {
  id: string;
  address: string;
  reason: SuppressionReason;
  created_at: string;
}
