import type {
  ErrorCode,
  ErrorDetail,
  JobKey,
  JsonObject,
  LogLevel,
  MessageStatus,
  OrgId,
  SuppressionReason,
} from '@jobline/contracts';

/** The attempt that a handler runs, as far as the ports need to know it. */
export interface JobRun {
  /** The job's own id: the same on every attempt. Pass it to providers, so that they ignore a repeated call. */
  readonly idempotencyKey: JobKey;
  readonly orgId: OrgId;
  /** The number of the attempt, from 1. Counting continues after a worker has died. */
  readonly attempt: number;
  /** Aborted when the time limit passes, the job is canceled or the worker stops. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** Adds a line to the job's log. The organization can read it, so it must not contain secrets. */
  log(level: LogLevel, message: string): void;
}

/** A message as requested: with its texts, or with a template and its data. */
interface Draft {
  from?: string | undefined;
  /** The name of a stored template, instead of the texts. */
  template?: string | undefined;
  data?: JsonObject | undefined;
}

export interface EmailDraft extends Draft {
  subject?: string | undefined;
  body?: string | undefined;
}

export interface SmsDraft extends Draft {
  message?: string | undefined;
}

/** An email that is ready to be sent. */
interface ComposedEmail {
  /** Rebuilt from its parts, with a verified domain. Null: the default sender. */
  from: string | null;
  subject: string;
  body: string;
}

interface ComposedSms {
  /** A registered sender id. Null: the default of the provider. */
  from: string | null;
  message: string;
}

/** Why a request is rejected although it matches its schema. The paths in `details` are under `payload`. */
export interface ValidationFailure {
  code: Extract<ErrorCode, 'validation_failed' | 'sender_domain_not_verified' | 'sender_not_registered'>;
  details: readonly ErrorDetail[];
}

export type Composed<T> = { message: T; failure?: never } | { failure: ValidationFailure; message?: never };

/**
 * Turns drafts into messages: fills templates and checks who may send as whom. Sends nothing. Throws RetryLater if too
 * many texts wait to be filled, or the reason of the signal if the signal is aborted.
 */
export interface Compose {
  email(orgId: OrgId, draft: EmailDraft, signal?: AbortSignal): Promise<Composed<ComposedEmail>>;
  sms(orgId: OrgId, draft: SmsDraft, signal?: AbortSignal): Promise<Composed<ComposedSms>>;
}

export interface EmailRequest extends ComposedEmail {
  to: string;
}

export interface SmsRequest extends ComposedSms {
  to: string;
}

/** A message that the provider has accepted. */
export interface SentMessage {
  messageId: string;
  providerMessageId: string | null;
  /** The provider. `sandbox` sends nothing. */
  provider: string;
  /** 1 for an email. */
  segments: number;
}

/**
 * Sends the one message of a job and records it. A message that the provider is known to have accepted is not sent
 * again, in any attempt. Throws PermanentError if a rule forbids it (`suppressed`, a sender rule), ProviderFailure, or
 * the reason of the signal if the signal is aborted.
 */
export interface Messages {
  sendEmail(email: EmailRequest, run: JobRun): Promise<SentMessage>;
  sendSms(sms: SmsRequest, run: JobRun): Promise<SentMessage>;
}

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
