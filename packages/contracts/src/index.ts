/** Types and constants that the API, the worker and the dashboard share. No dependencies; safe in a browser. */
export * from './artifact.js';
export * from './assert-never.js';
export * from './audit.js';
export * from './bulk.js';
export * from './errors.js';
export * from './ids.js';
export * from './job.js';
export * from './limit.js';
export * from './limits.js';
export * from './message.js';
export * from './pages.js';
export * from './quotas.js';
export * from './rights.js';
export * from './schedule.js';
export * from './sender.js';
export * from './team.js';
export * from './template.js';
