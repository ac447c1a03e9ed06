import type { Handler } from '../define-handler.js';
import { aiSummarize } from './ai_summarize.js';
import { compressImage } from './compress_image.js';
import { generatePdf } from './generate_pdf.js';
import { mobileMoneyStk } from './mobile_money_stk.js';
import { sendChatMessage } from './send_chat_message.js';
import { sendEmail } from './send_email.js';
import { sendSms } from './send_sms.js';
import { teamChatNotify } from './team_chat_notify.js';
import { webhook } from './webhook.js';

/** The built-in job types: one line each. */
export const builtIn: readonly Handler[] = [
  aiSummarize,
  compressImage,
  generatePdf,
  mobileMoneyStk,
  sendChatMessage,
  sendEmail,
  sendSms,
  teamChatNotify,
  webhook,
];

/** Job type → handler. */
export type Catalogue = ReadonlyMap<string, Handler>;

/** Builds the catalogue, by default of the built-in job types. Throws if two handlers have the same type. */
export function createCatalogue(handlers: readonly Handler[] = builtIn): Catalogue {
  const catalogue = new Map<string, Handler>();
  for (const handler of handlers) {
    if (catalogue.has(handler.type)) throw new Error(`two handlers for the job type "${handler.type}"`);
    catalogue.set(handler.type, handler);
  }
  return catalogue;
}
