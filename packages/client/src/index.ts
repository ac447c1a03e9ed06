export { Jobline } from './jobline.js';
export { JoblineError, type JoblineErrorCode } from './jobline-error.js';
export type { BulkWaitOptions } from './jobs/bulk.js';
export type { SubmitOptions } from './jobs/jobs.js';
export type { SubmitManyOptions, SubmitManyProgress } from './jobs/submit-many.js';
export type { BodyOf, InputOf, ItemOf, OperationId, OutputOf, PathOf, QueryOf, Schemas } from './operations.js';
export type { JoblineOptions, RequestOptions, WaitOptions } from './options.js';
export type * from './types.js';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './verify-webhook.js';
