/**
 * What sends messages. An accepted message is on its way but not yet delivered. All of them throw ProviderFailure, or the
 * reason of the signal if the signal is aborted. Then it is unknown whether the message was sent, unless the signal was
 * aborted before the call.
 */
interface Sender {
  /** The name of the provider, as in the setting that selects it: `EMAIL_PROVIDER=sandbox`. */
  readonly provider: string;
}

export interface AcceptedMessage {
  /** The provider's id, which its feedback contains; null if it returned none. */
  providerMessageId: string | null;
}

export interface Email {
  /** Our id of the message. The provider receives it and includes it in its feedback where it can. */
  id: string;
  /** One address. */
  to: string;
  /** An address, or a name and an address: `Acme <hello@acme.example>`. */
  from: string;
  subject: string;
  /** HTML if it looks like HTML, otherwise plain text. */
  body: string;
  /** The body is sent as plain text, even if it looks like HTML. */
  isPlainText?: true;
}

export interface EmailProvider extends Sender {
  /** The sender of emails that name none. Null: every email must name its sender. */
  readonly defaultFrom: string | null;
  send(email: Email, signal: AbortSignal): Promise<AcceptedMessage>;
}

export interface Sms {
  /** Our id of the message. */
  id: string;
  /** The phone number in E.164 format, with its plus. */
  to: string;
  /** A sender id. Null: the default of the provider. */
  from: string | null;
  message: string;
}

export interface SmsProvider extends Sender {
  send(sms: Sms, signal: AbortSignal): Promise<AcceptedMessage>;
}

export interface ChatMessage {
  /** The recipient in the form of the provider, for example a phone number with its country code. */
  to: string;
  message: string;
}

export interface Chat extends Sender {
  send(message: ChatMessage, signal: AbortSignal): Promise<AcceptedMessage>;
}

export interface ChannelMessage {
  /** The id or name of the channel. */
  channel: string;
  /** Plain text. Markup and mentions of the provider are shown literally. */
  text: string;
}

/** Posts to the channels of a team. */
export interface TeamChat extends Sender {
  post(message: ChannelMessage, signal: AbortSignal): Promise<AcceptedMessage>;
}
