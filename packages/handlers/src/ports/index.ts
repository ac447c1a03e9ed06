import type { Chat } from './chat.js';
import type { Compose } from './compose.js';
import type { Images } from './images.js';
import type { Messages } from './messages.js';
import type { Outbound } from './outbound.js';
import type { Payments } from './payments.js';
import type { Pdfs } from './pdfs.js';
import type { Summarizer } from './summarizer.js';
import type { TeamChat } from './team-chat.js';
import type { Templates } from './templates.js';
import type { WebhookSecrets } from './webhook-secrets.js';

export type { JobRun } from '../run-context.js';
export type { ArtifactStore } from './artifact-store.js';
export type { Chat, ChatMessage, SentChatMessage } from './chat.js';
export type {
  Compose,
  Composed,
  ComposedEmail,
  ComposedSms,
  EmailDraft,
  SmsDraft,
  ValidationFailure,
} from './compose.js';
export type { Email, EmailProvider, SentEmail } from './email.js';
export type { FeedbackEvent } from './feedback.js';
export type { CompressedImage, CompressOptions, ImageFormat, Images } from './images.js';
export type { EmailRequest, Messages, SentMessage, SmsRequest } from './messages.js';
export type { Outbound, OutboundRequest, OutboundResponse } from './outbound.js';
export { MAX_OUTBOUND_URL_LENGTH, outboundUrlIssue } from './outbound-url.js';
export { parseUrl } from './parse-url.js';
export { paymentLine, paymentResult } from './payment-result.js';
export type {
  Payment,
  PaymentOutcome,
  PaymentReport,
  Payments,
  PaymentsProvider,
  PaymentTerms,
  PromptIds,
} from './payments.js';
export type { LoadedImage, Pdf, PdfRequest, Pdfs } from './pdfs.js';
export type { SentSms, Sms, SmsProvider } from './sms.js';
export type { Summarizer, Summary, SummaryLength, SummaryRequest } from './summarizer.js';
export type { ChannelMessage, PostedMessage, TeamChat } from './team-chat.js';
export type { Filled, Liquid, TemplateFormat, Templates } from './templates.js';
export type { WebhookSecrets } from './webhook-secrets.js';

/** The external services that handlers use, in our terms. The main.ts of the worker provides them. */
export interface Ports {
  readonly chat: Chat;
  readonly compose: Compose;
  readonly images: Images;
  readonly messages: Messages;
  readonly outbound: Outbound;
  readonly payments: Payments;
  readonly pdfs: Pdfs;
  readonly summarizer: Summarizer;
  readonly teamChat: TeamChat;
  readonly templates: Templates;
  readonly webhookSecrets: WebhookSecrets;
}
