/**
 * Messages to people: who may send as whom, what is sent, and what happened to it. Shared by the API and the worker.
 */
export { readBeforeEffect } from './before-effect.js';
export { readChat } from './chat-content.js';
export { createCompose } from './compose.js';
export { decideProof, proofRecord, readDomainName, type TxtAnswer, type TxtRecord } from './domains.js';
export { bodyOf, createEventDeliveries } from './event-deliveries.js';
export { createTakeFeedback, type TakeFeedback } from './feedback.js';
export {
  type FilledTemplate,
  fillTemplate,
  TemplateError,
  type TemplateSource,
  templateVariables,
} from './fill-template.js';
export { createJobLookups, createLookups, memoizeLookups } from './lookups.js';
export { type MailAddress, readMailAddress } from './mail-address.js';
export { createPaymentReports, createSettlePayments, type TakePaymentReports } from './payments/outcomes.js';
export { createPayments } from './payments/request.js';
export { isSenderId } from './sender-rule.js';
export { limitSends, type SendKind, type TakeSend } from './sending/limited-sends.js';
export {
  createDirectSends,
  type DirectlySent,
  type DirectSends,
  type DirectTimes,
  type ErasedSend,
} from './sending/send-directly.js';
export { createMessages } from './sending/send-in-job.js';
export {
  createSystemMails,
  type Posting,
  type SystemMail,
  type SystemMailKind,
  type SystemMails,
} from './system-mails.js';
