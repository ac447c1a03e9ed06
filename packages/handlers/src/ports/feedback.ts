import type { MessageStatus, SuppressionReason } from '@jobline/contracts';

/** What a provider reports about one message, in our terms. */
export interface FeedbackEvent {
  /** Identifies the event: a repeat of the same event has the same id. */
  eventId: string;
  /** Our id of the message, if the provider includes it. */
  messageId: string | null;
  /** The provider's id of the message, if the provider includes it. */
  providerMessageId: string | null;
  /** The provider's name for the event. */
  kind: string;
  /** The new status of the message; null if it does not change. */
  status: MessageStatus | null;
  /** The reason, in the words of the provider. */
  reason: string | null;
  /** Why the recipient must not get any more messages; null if they may. */
  suppresses: SuppressionReason | null;
  occurredAt: Date | null;
}
