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
