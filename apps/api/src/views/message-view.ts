import { EMAIL_STATUSES, SMS_STATUSES } from '@jobline/contracts';
import type { MessageDetailRow, MessageEventRow, MessageRow } from '@jobline/db';
import type { DirectlySent } from '@jobline/messaging';
import Joi from 'joi';
import { uuid } from '../http/fields.js';
import { count, text, timestamp, view } from './view.js';

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

export const sentSmsView = view<ReturnType<typeof toSentSmsView>>('SentSms', sms);
export const sentEmailView = view<ReturnType<typeof toSentEmailView>>('SentEmail', email);
export const smsView = view<ReturnType<typeof toSmsView>>('Sms', { ...sms, ...inHistory, message: keptText });
export const emailView = view<ReturnType<typeof toEmailView>>('Email', { ...email, ...inHistory });
export const smsDetailView = view<ReturnType<typeof toSmsDetailView>>('SmsDetail', {
  ...sms,
  ...inHistory,
  message: keptText,
  events,
});
export const emailDetailView = view<ReturnType<typeof toEmailDetailView>>('EmailDetail', {
  ...email,
  ...inHistory,
  body: keptText,
  events,
});

type Sent = Omit<DirectlySent, 'replayed'>;

export function toSentSmsView(row: Sent) {
  // Every SMS has segments; the column is empty for emails.
  return { ...toSentView(row), segments: row.segments ?? 1 };
}

export function toSentEmailView(row: Sent) {
  return { ...toSentView(row), subject: row.subject ?? '' };
}

export function toSmsView(row: MessageRow) {
  return { ...toSentSmsView(row), ...historyOf(row), message: row.body };
}

export function toEmailView(row: MessageRow) {
  return { ...toSentEmailView(row), ...historyOf(row) };
}

export function toSmsDetailView(row: MessageDetailRow) {
  return { ...toSmsView(row), events: row.events.map(toEventView) };
}

export function toEmailDetailView(row: MessageDetailRow) {
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
