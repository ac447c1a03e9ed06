/**
 * Every change to a message, guarded. Only the messaging room may import this file. Times are the database's, as with
 * jobs.
 */
export * from './messages/begin.js';
export * from './messages/begin-once.js';
export * from './messages/feedback.js';
export * from './messages/outcome.js';
