import type { Compose } from './compose.js';
import type { EventDeliveries } from './event-deliveries.js';
import type { Images } from './images.js';
import type { Messages } from './messages.js';
import type { Outbound } from './outbound.js';
import type { Payments } from './payments.js';
import type { Pdfs } from './pdfs.js';
import type { Chat, TeamChat } from './senders.js';
import type { Summarizer } from './summarizer.js';
import type { Templates } from './templates.js';
import type { WebhookSecrets } from './webhook-secrets.js';

export type { JobRun } from '../run-context.js';
export type * from './artifact-store.js';
export type * from './compose.js';
export type * from './event-deliveries.js';
export type * from './feedback.js';
export type * from './images.js';
export type * from './messages.js';
export type * from './outbound.js';
export * from './outbound-url.js';
export * from './parse-url.js';
export * from './payment-result.js';
export type * from './payments.js';
export type * from './pdfs.js';
export type * from './senders.js';
export type * from './summarizer.js';
export type * from './templates.js';
export type * from './webhook-secrets.js';

/** The external services that handlers use, in our terms. The main.ts of the worker provides them. */
export interface Ports {
  readonly chat: Chat;
  readonly compose: Compose;
  readonly eventDeliveries: EventDeliveries;
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
