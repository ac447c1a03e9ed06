import type { Endpoint } from '../endpoint.js';
import { changePassword } from './auth/change-password.js';
import { login } from './auth/login.js';
import { logout } from './auth/logout.js';
import { me } from './auth/me.js';
import { register } from './auth/register.js';
import { switchOrg } from './auth/switch-org.js';
import { openapi } from './docs/openapi.js';
import { alive } from './health/alive.js';
import { ready } from './health/ready.js';
import { cancelJob } from './jobs/cancel-job.js';
import { followJob } from './jobs/follow-job.js';
import { followJobs } from './jobs/follow-jobs.js';
import { getArtifact } from './jobs/get-artifact.js';
import { getJob } from './jobs/get-job.js';
import { getResult } from './jobs/get-result.js';
import { listArtifacts } from './jobs/list-artifacts.js';
import { listJobs } from './jobs/list-jobs.js';
import { listLogs } from './jobs/list-logs.js';
import { retryJob } from './jobs/retry-job.js';
import { submitBatch } from './jobs/submit-batch.js';
import { submitJob } from './jobs/submit-job.js';
import { createApiKey } from './org/create-api-key.js';
import { deleteApiKey } from './org/delete-api-key.js';
import { getWebhookSecret } from './org/get-webhook-secret.js';
import { listApiKeys } from './org/list-api-keys.js';
import { rotateWebhookSecret } from './org/rotate-webhook-secret.js';
import { readJobStats } from './stats/read-job-stats.js';

/**
 * Every endpoint: one line each. The busiest first, and a fixed path before one with a name in its place. Its name here
 * is the name that generated clients have for it.
 */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  submitJob,
  submitBatch,
  listJobs,
  followJobs,
  getJob,
  listLogs,
  getResult,
  listArtifacts,
  getArtifact,
  retryJob,
  followJob,
  cancelJob,
  register,
  login,
  logout,
  me,
  switchOrg,
  changePassword,
  createApiKey,
  listApiKeys,
  deleteApiKey,
  getWebhookSecret,
  rotateWebhookSecret,
  readJobStats,
  alive,
  ready,
  openapi,
};
