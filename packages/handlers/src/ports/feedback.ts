import type { MessageStatus, SuppressionReason } from '@jobline/contracts';

/** What a provider tells of one message, in our words. */
export interface FeedbackEvent {
  /** The same whenever the provider says the same again, and of no other of its events. */
  eventId: string;
  /** Our own id of the message, if the provider names it. */
  messageId: string | null;
  /** The provider's id of the message, if it names that. */
  providerMessageId: string | null;
  /** The provider's own word for it. */
  kind: string;
  /** What it means for the message; null: nothing. */
  status: MessageStatus | null;
  /** Why, in the provider's words. */
  reason: string | null;
  /** Why the recipient is to get no more; null: they may. */
  suppresses: SuppressionReason | null;
  occurredAt: Date | null;
}
