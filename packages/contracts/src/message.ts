/** How a message reaches its recipient. */
export type Channel = 'email' | 'sms' | 'chat';

/** Statuses of an email by rank: of several reports the highest counts, in whatever order they arrive. */
export const EMAIL_STATUSES = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained'] as const;
/** Statuses of an SMS, and of a chat message. */
export const SMS_STATUSES = ['queued', 'sent', 'failed', 'delivered'] as const;
export type MessageStatus = (typeof EMAIL_STATUSES)[number];

/** How a recipient gets a copy of an email. */
export const COPY_KINDS = ['cc', 'bcc'] as const;
export type CopyKind = (typeof COPY_KINDS)[number];

const SEGMENT_CHARACTERS = 160;

/** The number of segments that an SMS is counted as: one per 160 characters, at least one. */
export function segmentsOf(message: string): number {
  let count = 0;
  for (const _ of message) count++;
  return Math.max(1, Math.ceil(count / SEGMENT_CHARACTERS));
}

/** Why nothing more is sent to a recipient. */
export const SUPPRESSION_REASONS = ['bounce', 'complaint'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** What a template renders. Names are unique per kind. */
export const TEMPLATE_KINDS = ['email', 'sms', 'pdf'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

/** Whether the DNS record of a domain has been found. */
export const DOMAIN_STATUSES = ['pending', 'verified'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

/** Whether a sender id may be used. `pending`: the operator has not approved it yet. */
export const SENDER_ID_STATUSES = ['pending', 'approved'] as const;
export type SenderIdStatus = (typeof SENDER_ID_STATUSES)[number];
