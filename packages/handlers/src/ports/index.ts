import type { Images } from './images.js';
import type { Outbound } from './outbound.js';
import type { Pdfs } from './pdfs.js';
import type { Summarizer } from './summarizer.js';
import type { Templates } from './templates.js';
import type { WebhookSecrets } from './webhook-secrets.js';

export type { Email, EmailProvider, SentEmail } from './email.js';
export type { CompressedImage, CompressOptions, ImageFormat, Images } from './images.js';
export type { Outbound, OutboundRequest, OutboundResponse } from './outbound.js';
export { MAX_OUTBOUND_URL_LENGTH, outboundUrlFault } from './outbound-url.js';
export type { LoadedImage, Pdf, PdfRequest, Pdfs } from './pdfs.js';
export type { SentSms, Sms, SmsProvider } from './sms.js';
export type { Summarizer, Summary, SummaryLength, SummaryRequest } from './summarizer.js';
export type { Templates } from './templates.js';
export type { WebhookSecrets } from './webhook-secrets.js';

/** What handlers need from outside, in our words. The worker's main.ts supplies it. */
export interface Ports {
  readonly images: Images;
  readonly outbound: Outbound;
  readonly pdfs: Pdfs;
  readonly summarizer: Summarizer;
  readonly templates: Templates;
  readonly webhookSecrets: WebhookSecrets;
}
