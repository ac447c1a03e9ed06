/** The only door to Postgres. Changes to jobs are in ./job-transitions, which the engine alone may import. */
export * from './api-keys.js';
export * from './artifacts.js';
export * from './client.js';
export * from './errors.js';
export * from './events.js';
export * from './hot.js';
export * from './jobs.js';
export * from './logs.js';
export * from './memberships.js';
export * from './orgs.js';
export * from './ping.js';
export * from './sessions.js';
export * from './stats.js';
export * from './users.js';
export * from './webhook-secrets.js';
export * from './workers.js';
