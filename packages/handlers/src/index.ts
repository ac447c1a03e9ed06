/**
 * The job types and what they need. Free of Redis, Prisma, Express and vendor SDKs, so that both the API and the worker
 * can import it.
 */
export * from './about.js';
export { listOf } from './bounded-schema.js';
export * from './custom-handler.js';
export * from './define-handler.js';
export * from './email-attachments.js';
export * from './email-fields.js';
export * from './errors.js';
export { fileName } from './file-name.js';
export { outboundUrl } from './http/outbound-url.js';
export { DELIVERY_TYPE, type DeliveryPayload, deliverEvent } from './internal/deliver-event.js';
export { type Catalogue, createCatalogue } from './jobs/index.js';
export { teamChatNotify } from './jobs/team_chat_notify.js';
export * from './messages.js';
export { pathText } from './path-text.js';
export * from './payload.js';
export * from './payload-schema.js';
export { builtInTemplates } from './pdf-templates/index.js';
export * from './ports/index.js';
export { roundedIntegers } from './rounded-integers.js';
export * from './source.js';
