import type {
  CopyKind,
  ErrorCode,
  ErrorDetail,
  JobKey,
  JsonObject,
  LogLevel,
  MessageStatus,
  OrgId,
  SuppressionReason,
} from '@jobline/contracts';
import type { ProviderFailure } from '../errors.js';

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

/** The texts of an email: a body of either kind, or HTML and plain text, of which at least one is present. */
export interface EmailTexts {
  body?: string | undefined;
  html?: string | undefined;
  text?: string | undefined;
}

export interface EmailDraft extends Draft, EmailTexts {
  subject?: string | undefined;
  reply_to?: string | undefined;
}

export interface SmsDraft extends Draft {
  message?: string | undefined;
}

/** An email that is ready to be sent. */
interface ComposedEmail {
  /** Rebuilt from its parts, with a verified domain. Null: the default sender. */
  from: string | null;
  /** Rebuilt from its parts. Null: replies go to the sender. */
  replyTo: string | null;
  subject: string;
  texts: EmailTexts;
  /** The name of the template that was filled. Absent: none. */
  template?: string | undefined;
}

interface ComposedSms {
  /** A registered sender id. Null: the default of the provider. */
  from: string | null;
  message: string;
  /** The name of the template that was filled. Absent: none. */
  template?: string | undefined;
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
  /** Those of these names that are not the names of secrets of the organization. */
  unknownSecrets(orgId: OrgId, names: readonly string[]): Promise<readonly string[]>;
}

export interface EmailRequest extends ComposedEmail {
  to: string;
  cc?: readonly string[] | undefined;
  bcc?: readonly string[] | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  attachments?: readonly EmailAttachment[] | undefined;
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
  /** 1 for emails and chat messages. */
  segments: number;
}

/**
 * Sends the one message of a job and records it. A message that the provider is known to have accepted is not sent
 * again, in any attempt. Throws PermanentError if a rule forbids it (`suppressed`, a sender rule), ProviderFailure, or
 * the reason of the signal if the signal is aborted.
 */
export interface Messages {
  sendChat(message: ChatMessage, run: JobRun): Promise<SentMessage>;
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

export interface AcceptedEmail extends AcceptedMessage {
  /** The copies that the provider has not accepted. Absent: none. */
  refused?: readonly RefusedCopy[];
}

export interface RefusedCopy {
  id: string;
  failure: ProviderFailure;
}

export interface Email {
  /** Our id of the message. The provider receives it and includes it in its feedback where it can. */
  id: string;
  /** One address. */
  to: string;
  copies?: readonly EmailCopy[];
  /**
   * The ids of the copies that are sent, without the message to `to`: the other recipients have the email. Absent: everyone
   * gets it. Only a provider that accepts in part is given it.
   */
  only?: ReadonlySet<string> | undefined;
  /** An address, or a name and an address: `Acme <hello@acme.example>`. */
  from: string;
  /** The same for replies. Null or absent: replies go to the sender. */
  replyTo?: string | null;
  subject: string;
  content: EmailContent;
  /** Further headers, whose names and values are valid. */
  headers?: Readonly<Record<string, string>> | undefined;
  attachments?: readonly EmailAttachment[] | undefined;
}

export interface EmailCopy {
  /** Our id of the message to this recipient: `siblingId` of the id of the email and the address in the form of `addressKey`. */
  id: string;
  to: string;
  kind: CopyKind;
}

export interface EmailAttachment {
  filename: string;
  contentType: string;
  /** The id by which the HTML shows it. Null: it is not shown there. */
  contentId: string | null;
  bytes: Uint8Array;
}

/** The parts of an email, of which at least one is present. An HTML part without a text part counts as spam more often. */
export interface EmailContent {
  html: string | null;
  text: string | null;
}

/**
 * Decides whether a body is HTML or plain text, and makes the text part of HTML that has none. Its time is limited: HTML that
 * takes longer has no text part. Throws RetryLater if too many texts wait, or the reason of the signal if the signal is aborted.
 */
export type ReadEmailTexts = (orgId: OrgId, texts: EmailTexts, signal?: AbortSignal) => Promise<EmailContent>;

export interface EmailProvider extends Sender {
  /** The sender of emails that name none. Null: every email must name its sender. */
  readonly defaultFrom: string | null;
  /** Whether it may accept an email for some of its recipients. If not, a report on one recipient shows that it accepted all. */
  readonly acceptsInPart: boolean;
  readonly acceptsEmptyAttachments: boolean;
  send(email: Email, signal: AbortSignal): Promise<AcceptedEmail>;
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
  /** The sender of SMS that name none. Null: there is none, or the provider chooses it. */
  readonly defaultFrom: string | null;
  /** Whether the provider chooses the sender of SMS that name none. */
  readonly choosesSender: boolean;
  send(sms: Sms, signal: AbortSignal): Promise<AcceptedMessage>;
}

/** A template that the chat provider has approved, and the texts of its variables in their order. */
export interface ChatTemplate {
  name: string;
  /** The code of a language, such as `en_US`. */
  language: string;
  parameters?: readonly string[] | undefined;
}

/** A text, or a template of the provider. */
export type ChatContent = { message: string; template?: undefined } | { template: ChatTemplate; message?: undefined };

export type ChatMessage = ChatContent & {
  /** The recipient in the form of the provider, for example a phone number with its country code. */
  to: string;
};

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
