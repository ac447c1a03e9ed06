export interface ChannelMessage {
  /** Its id or name. */
  channel: string;
  /** Plain: what would be markup or a mention to the provider is shown as it is. */
  text: string;
}

export interface PostedMessage {
  /** The provider's own id; null: it gave none. */
  providerMessageId: string | null;
}

/** A way to post to a team's channels. Throws as Chat does. */
export interface TeamChat {
  /** As TEAM_CHAT_PROVIDER names it, e.g. `sandbox`. */
  readonly provider: string;
  post(message: ChannelMessage, signal: AbortSignal): Promise<PostedMessage>;
}
