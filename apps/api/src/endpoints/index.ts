import type { Endpoint } from '../endpoint.js';
import { changePassword } from './auth/change-password.js';
import { forgotPassword } from './auth/forgot-password.js';
import { login } from './auth/login.js';
import { logout } from './auth/logout.js';
import { me } from './auth/me.js';
import { register } from './auth/register.js';
import { resetPassword } from './auth/reset-password.js';
import { switchOrg } from './auth/switch-org.js';
import { openapi } from './docs/openapi.js';
import { getEmail } from './email/get-email.js';
import { listEmails } from './email/list-emails.js';
import { sendEmail } from './email/send-email.js';
import { alive } from './health/alive.js';
import { ready } from './health/ready.js';
import { acceptInvite } from './invite/accept-invite.js';
import { checkInvite } from './invite/check-invite.js';
import { cancelJob } from './jobs/cancel-job.js';
import { followJob } from './jobs/follow-job.js';
import { followJobs } from './jobs/follow-jobs.js';
import { getArtifact } from './jobs/get-artifact.js';
import { getJob } from './jobs/get-job.js';
import { getResult } from './jobs/get-result.js';
import { listArtifacts } from './jobs/list-artifacts.js';
import { listAttempts } from './jobs/list-attempts.js';
import { listJobs } from './jobs/list-jobs.js';
import { listLogs } from './jobs/list-logs.js';
import { retryJob } from './jobs/retry-job.js';
import { submitBatch } from './jobs/submit-batch.js';
import { submitJob } from './jobs/submit-job.js';
import { createApiKey } from './org/create-api-key.js';
import { deleteApiKey } from './org/delete-api-key.js';
import { createDomain } from './org/domains/create-domain.js';
import { deleteDomain } from './org/domains/delete-domain.js';
import { getDomain } from './org/domains/get-domain.js';
import { listDomains } from './org/domains/list-domains.js';
import { verifyDomain } from './org/domains/verify-domain.js';
import { getWebhookSecret } from './org/get-webhook-secret.js';
import { createInvite } from './org/invites/create-invite.js';
import { listInvites } from './org/invites/list-invites.js';
import { revokeInvite } from './org/invites/revoke-invite.js';
import { listApiKeys } from './org/list-api-keys.js';
import { listAudit } from './org/list-audit.js';
import { changeRole } from './org/members/change-role.js';
import { listMembers } from './org/members/list-members.js';
import { removeMember } from './org/members/remove-member.js';
import { rotateWebhookSecret } from './org/rotate-webhook-secret.js';
import { createSenderId } from './org/sender-ids/create-sender-id.js';
import { deleteSenderId } from './org/sender-ids/delete-sender-id.js';
import { listSenderIds } from './org/sender-ids/list-sender-ids.js';
import { deleteSuppression } from './org/suppressions/delete-suppression.js';
import { listSuppressions } from './org/suppressions/list-suppressions.js';
import { createTemplate } from './org/templates/create-template.js';
import { deleteTemplate } from './org/templates/delete-template.js';
import { getTemplate } from './org/templates/get-template.js';
import { listTemplates } from './org/templates/list-templates.js';
import { previewTemplate } from './org/templates/preview-template.js';
import { previewText } from './org/templates/preview-text.js';
import { replaceTemplate } from './org/templates/replace-template.js';
import { getSms } from './sms/get-sms.js';
import { listSms } from './sms/list-sms.js';
import { sendSms } from './sms/send-sms.js';
import { readJobStats } from './stats/read-job-stats.js';
import { receiveCallback } from './webhooks/receive-callback.js';

/**
 * Every endpoint, one line each: the busiest first, and a fixed path before one with a parameter in the same position. The
 * name of an endpoint here is its operation id in the API document, which generated clients use.
 */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  submitJob,
  submitBatch,
  listJobs,
  followJobs,
  getJob,
  listAttempts,
  listLogs,
  getResult,
  listArtifacts,
  getArtifact,
  retryJob,
  followJob,
  cancelJob,
  sendEmail,
  listEmails,
  getEmail,
  sendSms,
  listSms,
  getSms,
  receiveCallback,
  register,
  login,
  logout,
  me,
  switchOrg,
  changePassword,
  forgotPassword,
  resetPassword,
  checkInvite,
  acceptInvite,
  listMembers,
  changeRole,
  removeMember,
  createInvite,
  listInvites,
  revokeInvite,
  createApiKey,
  listApiKeys,
  deleteApiKey,
  getWebhookSecret,
  rotateWebhookSecret,
  listAudit,
  createDomain,
  listDomains,
  getDomain,
  verifyDomain,
  deleteDomain,
  createSenderId,
  listSenderIds,
  deleteSenderId,
  createTemplate,
  listTemplates,
  previewText,
  getTemplate,
  replaceTemplate,
  previewTemplate,
  deleteTemplate,
  listSuppressions,
  deleteSuppression,
  readJobStats,
  alive,
  ready,
  openapi,
};
