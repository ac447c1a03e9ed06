/**
 * The job types and what they need. Free of Redis, Prisma, Express and vendor SDKs, so that both the API and the worker
 * can import it.
 */
export * from './artifact.js';
export * from './catalogue.js';
export * from './custom-handler.js';
export * from './define-handler.js';
export * from './errors.js';
export * from './http/outbound-url-schema.js';
export { DELIVERY_TYPE, type DeliveryPayload, deliverEvent } from './internal/deliver-event.js';
export * from './messages/message-fields.js';
export * from './messages/validation-failure.js';
export * from './payload.js';
export * from './payload-schema.js';
export { builtInTemplates } from './pdf-templates/index.js';
export * from './ports/index.js';
export * from './standard-schema.js';
