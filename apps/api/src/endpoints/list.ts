/**
 * Every endpoint, by its file. The name of an endpoint here is its operation id in the API document, which generated
 * clients use.
 */
export { acceptInvite, checkInvite } from './accept-invite.js';
export { listAlerts, testAlerts } from './alerts.js';
export { answerChallenge } from './answer-challenge.js';
export { changeApiKey, createApiKey, deleteApiKey, listApiKeys, rotateApiKey } from './api-keys.js';
export { listAudit } from './audit-log.js';
export { getBulk, listBulks, startBulk, stopBulk } from './bulk.js';
export { getChatMessage, listChatMessages } from './chat-messages.js';
export { getDefaultSenders } from './default-senders.js';
export { getDelivery, listCallbacks, listDeliveries, redeliver } from './deliveries.js';
export { createDomain, deleteDomain, getDomain, listDomains, verifyDomain } from './domains.js';
export { getErasure, listErasures, startErasure } from './erasures.js';
export { deleteFile, getFile, getFileContent, listFiles, uploadFile } from './files.js';
export { listFirstSteps } from './first-steps.js';
export { followEvents } from './follow-events.js';
export { alive, ready } from './health.js';
export { createInvite, listInvites, revokeInvite } from './invites.js';
export { getArtifact, listArtifacts } from './jobs/artifacts.js';
export { cancelJob, changeJob, deleteJob, retryJob } from './jobs/control.js';
export { followJob, followJobs } from './jobs/follow.js';
export { getResult, listAttempts, listLogs } from './jobs/history.js';
export { listJobTypes } from './jobs/job-types.js';
export { getJob, listJobs } from './jobs/read-jobs.js';
export { rerunJob } from './jobs/rerun-job.js';
export { submitBatch } from './jobs/submit-batch.js';
export { submitJob } from './jobs/submit-job.js';
export { deleteLimit, listLimitKeys, listLimits, patchLimit, putLimit } from './limits.js';
export { linkArtifact, linkFile, openLink } from './links.js';
export { login } from './login.js';
export { changeRole, listMembers, removeMember } from './members.js';
export { getEmail, getSms, listEmails, listSms, sendSms } from './messages.js';
export { openapi } from './openapi.js';
export { changePassword, forgotPassword, resetPassword } from './passwords.js';
export { listProblems } from './problems.js';
export { receiveCallback } from './receive-callback.js';
export { register } from './register.js';
export { changeSchedule } from './schedules/change-schedule.js';
export { createSchedule } from './schedules/create-schedule.js';
export { runSchedule } from './schedules/run-schedule.js';
export { deleteSchedule, getSchedule, listSchedules, previewSchedule } from './schedules/schedules.js';
export { search } from './search.js';
export { deleteSecret, listSecrets, putSecret } from './secrets.js';
export { sendEmail } from './send-email.js';
export { createSenderId, deleteSenderId, listSenderIds } from './sender-ids.js';
export { logout, me, switchOrg } from './sessions.js';
export { changeSettings, getSettings } from './settings.js';
export { readFailures, readJobStats, readWebhookStats } from './stats.js';
export { deleteSuppression, listSuppressions } from './suppressions.js';
export { previewTemplate, previewText } from './template-previews.js';
export {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  replaceTemplate,
} from './templates.js';
export { sendVerification, verifyAddress } from './verify-address.js';
export { getWebhookSecret, rotateWebhookSecret } from './webhook-secret.js';
export {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  recoverWebhook,
  rotateSecret,
  testWebhook,
} from './webhooks.js';
