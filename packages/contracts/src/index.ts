/** Types and constants that the API, the worker and the dashboard share. No dependencies; safe in a browser. */
export * from './about.js';
export * from './audit.js';
export * from './errors.js';
export * from './event.js';
export * from './html.js';
export * from './job.js';
export * from './message.js';
export * from './organization.js';
export * from './primitives.js';
export * from './promised-limits.js';
export * from './rights.js';
export * from './schedule.js';
export * from './search.js';
