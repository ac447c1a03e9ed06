export interface ChatMessage {
  /** The recipient in the form of the provider, for example a phone number with its country code. */
  to: string;
  message: string;
}

export interface SentChatMessage {
  /** The provider's id; null if it returned none. */
  providerMessageId: string | null;
}

/**
 * Sends chat messages. An accepted message is on its way but not yet delivered. Throws ProviderFailure, or the reason
 * of the signal if the signal is aborted. Then it is unknown whether the message was sent, unless the signal was
 * aborted before the call.
 */
export interface Chat {
  /** The name in CHAT_PROVIDER, such as `sandbox`. */
  readonly provider: string;
  send(message: ChatMessage, signal: AbortSignal): Promise<SentChatMessage>;
}
