import type { Images, Pdfs, Summarizer, Templates } from './documents.js';
import type { Compose, Messages, TeamChat } from './messages.js';
import type { EventDeliveries, Outbound, Secrets, WebhookSecrets } from './outbound.js';
import type { Payments } from './payments.js';

export { isHtml } from '@jobline/contracts';
export { addressKey, asciiAddress, domainOf, formsOf } from '../email-address.js';
export { MAX_OUTBOUND_URL_LENGTH, outboundUrlIssue, parseUrl } from '../http/outbound-url.js';
export * from '../payment-result.js';
export type * from './documents.js';
export type * from './messages.js';
export type * from './outbound.js';
export type * from './payments.js';

/** The external services that handlers use, in our terms. The main.ts of the worker provides them. */
export interface Ports {
  readonly compose: Compose;
  readonly eventDeliveries: EventDeliveries;
  readonly images: Images;
  readonly messages: Messages;
  readonly outbound: Outbound;
  readonly payments: Payments;
  readonly pdfs: Pdfs;
  readonly secrets: Secrets;
  readonly summarizer: Summarizer;
  readonly teamChat: TeamChat;
  readonly templates: Templates;
  readonly webhookSecrets: WebhookSecrets;
}
