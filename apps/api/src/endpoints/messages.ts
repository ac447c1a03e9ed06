import { EMAIL_STATUSES, type MessageStatus, SMS_STATUSES } from '@jobline/contracts';
import { findMessage, listMessages, type MessageDetailRow, type MessageEventRow, type MessageRow } from '@jobline/db';
import { emailBody, emailRecipient, phoneNumber, sender, smsText, subjectLine } from '@jobline/handlers';
import type { DirectlySent } from '@jobline/messaging';
import Joi from 'joi';
import { isVisible, MESSAGE_TYPES, requireType } from '../auth/authorize.js';
import { defineEndpoint } from '../endpoint.js';
import { rejectedMessage } from '../http/errors.js';
import { fieldsOf, uuid } from '../http/fields.js';
import type { PageQuery } from '../http/paging.js';
import { json } from '../http/response-specs.js';
import { count, text, timestamp, view } from '../http/view.js';
import { defineListEndpoint, defineReadEndpoint, NO_ROWS } from './row-endpoints.js';

const sent = {
  id: uuid(),
  to: Joi.string(),
  from: Joi.string().allow(null).description("Null: the provider's default sender."),
  provider: Joi.string().description('The provider of the message; `sandbox` sends nothing.'),
  provider_message_id: Joi.string().allow(null),
};

const sms = {
  ...sent,
  status: Joi.valid(...SMS_STATUSES),
  segments: count().min(1).description('The number of segments of 160 characters each.'),
};

const email = { ...sent, status: Joi.valid(...EMAIL_STATUSES), subject: text() };

const inHistory = {
  job_id: Joi.string()
    .allow(null)
    .description('The job that sent it; null: sent directly, or the job has been deleted.'),
  error: view<NonNullable<ReturnType<typeof historyOf>['error']>>('MessageError', {
    code: Joi.string(),
    message: text(),
  })
    .allow(null)
    .description('Why it failed. `unknown_effect`: it is unknown whether it was sent.'),
  created_at: timestamp(),
  updated_at: timestamp(),
};

const events = Joi.array().items(
  view<ReturnType<typeof toEventView>>('MessageEvent', {
    event: Joi.string().description("The provider's name for the event."),
    status: Joi.valid(...EMAIL_STATUSES)
      .allow(null)
      .description('The status that the event gives the message; null: none.'),
    reason: Joi.string().allow(null),
    occurred_at: timestamp().allow(null),
    received_at: timestamp(),
  }),
);

const keptText = text().allow(null).description('Null if the job that sent it was deleted.');

const sentSmsView = view<ReturnType<typeof toSentSmsView>>('SentSms', sms);
const sentEmailView = view<ReturnType<typeof toSentEmailView>>('SentEmail', email);
const smsView = view<ReturnType<typeof toSmsView>>('Sms', { ...sms, ...inHistory, message: keptText });
const emailView = view<ReturnType<typeof toEmailView>>('Email', { ...email, ...inHistory });
const smsDetailView = view<ReturnType<typeof toSmsDetailView>>('SmsDetail', {
  ...sms,
  ...inHistory,
  message: keptText,
  events,
});
const emailDetailView = view<ReturnType<typeof toEmailDetailView>>('EmailDetail', {
  ...email,
  ...inHistory,
  body: keptText,
  events,
});

type Sent = Omit<DirectlySent, 'replayed'>;

function toSentSmsView(row: Sent) {
  // Every SMS has segments; the column is empty for emails.
  return { ...toSentView(row), segments: row.segments ?? 1 };
}

function toSentEmailView(row: Sent) {
  return { ...toSentView(row), subject: row.subject ?? '' };
}

function toSmsView(row: MessageRow) {
  return { ...toSentSmsView(row), ...historyOf(row), message: row.body };
}

function toEmailView(row: MessageRow) {
  return { ...toSentEmailView(row), ...historyOf(row) };
}

function toSmsDetailView(row: MessageDetailRow) {
  return { ...toSmsView(row), events: row.events.map(toEventView) };
}

function toEmailDetailView(row: MessageDetailRow) {
  return { ...toEmailView(row), body: row.body, events: row.events.map(toEventView) };
}

function toSentView({ id, status, recipient, sender, provider, providerMessageId }: Sent) {
  return { id, status, to: recipient, from: sender, provider, provider_message_id: providerMessageId };
}

function historyOf({ jobId, errorCode, errorMessage, createdAt, updatedAt }: MessageRow) {
  return {
    job_id: jobId,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

function toEventView({ kind, status, reason, occurredAt, receivedAt }: MessageEventRow) {
  return {
    event: kind,
    status,
    reason,
    occurred_at: occurredAt?.toISOString() ?? null,
    received_at: receivedAt.toISOString(),
  };
}

/** Sends an email without the queue. The response has the result of the provider. */
export const sendEmail = defineEndpoint({
  method: 'post',
  path: '/email/send',
  summary: 'Send an email now',
  auth: 'messages:send',
  right: 'messages',
  needs: ['compose', 'directSends'],
  idempotent: true,
  limits: { org: 'send', stores: true },
  body: fieldsOf(
    {
      to: emailRecipient(),
      subject: subjectLine(),
      body: emailBody().description('HTML if it contains HTML, otherwise plain text.'),
    },
    { from: sender().description('An address of a domain that the organization has verified.') },
  ),
  responses: { 200: json('The provider has accepted the email.', sentEmailView, ['Idempotent-Replayed?']) },
  errors: [
    'sender_domain_not_verified',
    'suppressed',
    'conflict',
    'idempotency_key_reused',
    'provider_error',
    'unknown_effect',
  ],
  async handle({ deps, principal, body, idempotencyKey }) {
    requireType(principal, MESSAGE_TYPES.email);
    const { orgId } = principal;
    const { message, failure } = await deps.compose().email(orgId, body);
    if (failure) throw rejectedMessage(failure);
    const sent = await deps.directSends.email(orgId, { ...message, to: body.to }, idempotencyKey);
    const headers = sent.replayed ? { 'Idempotent-Replayed': 'true' } : undefined;
    return { status: 200, body: toSentEmailView(sent), headers };
  },
});

interface MessageQuery extends PageQuery {
  status?: MessageStatus;
}

/** The organization's emails, sent by jobs or directly, newest first. */
export const listEmails = defineListEndpoint({
  path: '/email/messages',
  summary: 'List emails',
  right: 'messages',
  scope: 'messages:read',
  description: 'A page of emails',
  view: emailView,
  filters: { status: Joi.valid(...EMAIL_STATUSES) },
  rows: async (db, orgId, query: MessageQuery, types) =>
    isVisible(types, MESSAGE_TYPES.email) ? listMessages(db, orgId, 'email', query) : NO_ROWS,
  toView: toEmailView,
});

/** An email with its text and the events that its provider has reported. */
export const getEmail = defineReadEndpoint({
  path: '/email/messages/:id',
  summary: 'Read an email',
  right: 'messages',
  scope: 'messages:read',
  description: 'The email.',
  view: emailDetailView,
  find: (db, orgId, id) => findMessage(db, orgId, 'email', id),
  toView: toEmailDetailView,
});

/** Sends an SMS without the queue. The response has the result of the provider. */
export const sendSms = defineEndpoint({
  method: 'post',
  path: '/sms/send',
  summary: 'Send an SMS now',
  auth: 'messages:send',
  right: 'messages',
  needs: ['compose', 'directSends'],
  idempotent: true,
  limits: { org: 'send', stores: true },
  body: fieldsOf(
    { to: phoneNumber(), message: smsText() },
    { from: sender().description('A sender id that the organization has registered.') },
  ),
  responses: { 200: json('The provider has accepted the SMS.', sentSmsView, ['Idempotent-Replayed?']) },
  errors: [
    'sender_not_registered',
    'suppressed',
    'conflict',
    'idempotency_key_reused',
    'provider_error',
    'unknown_effect',
  ],
  async handle({ deps, principal, body, idempotencyKey }) {
    requireType(principal, MESSAGE_TYPES.sms);
    const { orgId } = principal;
    const { message, failure } = await deps.compose().sms(orgId, body);
    if (failure) throw rejectedMessage(failure);
    const sent = await deps.directSends.sms(orgId, { ...message, to: body.to }, idempotencyKey);
    const headers = sent.replayed ? { 'Idempotent-Replayed': 'true' } : undefined;
    return { status: 200, body: toSentSmsView(sent), headers };
  },
});

/** The organization's SMS, sent by jobs or directly, newest first. */
export const listSms = defineListEndpoint({
  path: '/sms/messages',
  summary: 'List SMS',
  right: 'messages',
  scope: 'messages:read',
  description: 'A page of SMS',
  view: smsView,
  filters: { status: Joi.valid(...SMS_STATUSES) },
  rows: async (db, orgId, query: MessageQuery, types) =>
    isVisible(types, MESSAGE_TYPES.sms) ? listMessages(db, orgId, 'sms', query) : NO_ROWS,
  toView: toSmsView,
});

/** An SMS with its text and the events that its provider has reported. */
export const getSms = defineReadEndpoint({
  path: '/sms/messages/:id',
  summary: 'Read an SMS',
  right: 'messages',
  scope: 'messages:read',
  description: 'The SMS.',
  view: smsDetailView,
  find: (db, orgId, id) => findMessage(db, orgId, 'sms', id),
  toView: toSmsDetailView,
});
