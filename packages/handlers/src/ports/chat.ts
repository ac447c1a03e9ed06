export interface ChatMessage {
  /** Whom it is for, in the provider's own form: a phone number with its country code, say. */
  to: string;
  message: string;
}

export interface SentChatMessage {
  /** The provider's own id; null: it gave none. */
  providerMessageId: string | null;
}

/**
 * A way to send chat messages to people. What it accepted is on its way, not delivered. Throws ProviderFailure, and the
 * signal's reason when that fired: nobody knows then whether it was sent, unless it had fired before the call.
 */
export interface Chat {
  /** As CHAT_PROVIDER names it, e.g. `sandbox`. */
  readonly provider: string;
  send(message: ChatMessage, signal: AbortSignal): Promise<SentChatMessage>;
}
