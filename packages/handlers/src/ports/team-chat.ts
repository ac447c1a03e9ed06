export interface ChannelMessage {
  /** The id or name of the channel. */
  channel: string;
  /** Plain text. Markup and mentions of the provider are shown literally. */
  text: string;
}

export interface PostedMessage {
  /** The provider's id; null if it returned none. */
  providerMessageId: string | null;
}

/** Posts to the channels of a team. Throws in the same cases as Chat. */
export interface TeamChat {
  /** The name in TEAM_CHAT_PROVIDER, such as `sandbox`. */
  readonly provider: string;
  post(message: ChannelMessage, signal: AbortSignal): Promise<PostedMessage>;
}
