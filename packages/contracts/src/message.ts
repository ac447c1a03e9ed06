/** How a message reaches its recipient. */
export type Channel = 'email' | 'sms';

/** Statuses of an email by rank: of several reports the highest counts, in whatever order they arrive. */
export const EMAIL_STATUSES = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained'] as const;
export const SMS_STATUSES = ['queued', 'sent', 'failed', 'delivered'] as const;
export type MessageStatus = (typeof EMAIL_STATUSES)[number];

/** Why nothing more is sent to a recipient. */
export const SUPPRESSION_REASONS = ['bounce', 'complaint'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
