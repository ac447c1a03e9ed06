import {
  type Channel,
  COPY_KINDS,
  EMAIL_STATUSES,
  type MessageStatus,
  NAME_PATTERN,
  type OrgId,
  SMS_STATUSES,
  type VisibleTypes,
} from '@jobline/contracts';
import {
  type Db,
  findMessage,
  listMessages,
  type MessageDetailRow,
  type MessageEventRow,
  type MessageRow,
} from '@jobline/db';
import { aboutText, instant, matcherOf, shortText } from '@jobline/engine';
import { type Composed, formsOf, phoneNumber, sender, smsText } from '@jobline/handlers';
import type { DirectlySent, ErasedSend } from '@jobline/messaging';
import Joi from 'joi';
import { isVisible, MESSAGE_TYPES, requireType } from '../auth/authorize.js';
import { defineEndpoint } from '../endpoint.js';
import { rejectedMessage } from '../http/errors.js';
import { fieldsOf, uuid } from '../http/fields.js';
import type { PageQuery } from '../http/paging.js';
import { json } from '../http/response-specs.js';
import { count, optional, text, timestamp, view } from '../http/view.js';
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

/** The fields of a message in the history. */
export const inHistory = {
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

export const events = Joi.array().items(
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

export const keptText = text().allow(null).description('Null if the job that sent it was deleted.');

const copiedAs = Joi.valid(...COPY_KINDS)
  .allow(null)
  .description('How this recipient got a copy of the email; null: it is its `to`.');

const template = text().description('The name of the template that it was made from. Absent if it used none.');

/** Of the replay of a send that was erased, only the id is left. */
type SentAs<View extends { id: string }> = Pick<View, 'id'> & Partial<View>;

const sentSmsView = view<SentAs<ReturnType<typeof toSentSmsView>>>('SentSms', { ...optional(sms), id: uuid() });
export const sentEmailView = view<SentAs<ReturnType<typeof toSentEmailView>>>('SentEmail', {
  ...optional(email),
  id: uuid(),
});
const smsView = view<ReturnType<typeof toSmsView>>('Sms', { ...sms, ...inHistory, message: keptText });
const emailView = view<ReturnType<typeof toEmailView>>('Email', { ...email, copied_as: copiedAs, ...inHistory });
const smsDetailView = view<ReturnType<typeof toSmsDetailView>>('SmsDetail', {
  ...sms,
  ...inHistory,
  message: keptText,
  template: template.optional(),
  events,
});
const emailDetailView = view<ReturnType<typeof toEmailDetailView>>('EmailDetail', {
  ...email,
  copied_as: copiedAs,
  ...inHistory,
  body: keptText,
  template: template.optional(),
  events,
});

type Sent = Omit<DirectlySent, 'replayed'>;

function toSentSmsView(row: Sent) {
  // Every SMS has segments; the column is empty for emails.
  return { ...toSentView(row), segments: row.segments ?? 1 };
}

export function toSentEmailView(row: Sent) {
  return { ...toSentView(row), subject: row.subject ?? '' };
}

function toSmsView(row: MessageRow) {
  return { ...toSentSmsView(row), ...historyOf(row), message: row.body };
}

function toEmailView(row: MessageRow) {
  return { ...toSentEmailView(row), copied_as: row.copiedAs, ...historyOf(row) };
}

function toSmsDetailView(row: MessageDetailRow) {
  return { ...toSmsView(row), ...templateOf(row), events: row.events.map(toEventView) };
}

function toEmailDetailView(row: MessageDetailRow) {
  return { ...toEmailView(row), body: row.body, ...templateOf(row), events: row.events.map(toEventView) };
}

function templateOf({ template }: MessageDetailRow): { template?: string } {
  return template === null ? {} : { template };
}

function toSentView({ id, status, recipient, sender, provider, providerMessageId }: Sent) {
  return { id, status, to: recipient, from: sender, provider, provider_message_id: providerMessageId };
}

export function historyOf({ jobId, errorCode, errorMessage, createdAt, updatedAt }: MessageRow) {
  return {
    job_id: jobId,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export function toEventView({ kind, status, reason, occurredAt, receivedAt }: MessageEventRow) {
  return {
    event: kind,
    status,
    reason,
    occurred_at: occurredAt?.toISOString() ?? null,
    received_at: receivedAt.toISOString(),
  };
}

/** What the endpoints that send a message without the queue have in common. */
export const direct = {
  method: 'post',
  auth: 'messages:send',
  needs: ['compose', 'directSends'],
  idempotent: true,
  limits: { org: 'send', stores: true },
} as const;

export const directErrors = [
  'suppressed',
  'conflict',
  'idempotency_key_reused',
  'provider_error',
  'unknown_effect',
] as const;

/** The message to send, or the error response that says why it cannot be sent. */
export function messageOf<T>({ message, failure }: Composed<T>): T {
  if (failure) throw rejectedMessage(failure);
  return message;
}

export function sentAnswer<View extends { id: string }>(
  sent: DirectlySent | ErasedSend,
  toView: (sent: DirectlySent) => SentAs<View>,
) {
  const isReplay = 'isErased' in sent || sent.replayed;
  // The cast: all other fields may be absent.
  const body = 'isErased' in sent ? ({ id: sent.id } as SentAs<View>) : toView(sent);
  return { status: 200 as const, body, headers: isReplay ? { 'Idempotent-Replayed': 'true' } : undefined };
}

/** Sends an SMS without the queue. The response has the result of the provider. */
export const sendSms = defineEndpoint({
  ...direct,
  path: '/sms/send',
  summary: 'Send an SMS now',
  body: fieldsOf(
    { to: phoneNumber(), message: smsText() },
    { from: sender().description('A sender id that the organization has registered.') },
  ),
  responses: { 200: json('The provider has accepted the SMS.', sentSmsView, ['Idempotent-Replayed?']) },
  errors: ['sender_not_registered', ...directErrors],
  async handle({ deps, principal, body, idempotencyKey }) {
    requireType(principal, MESSAGE_TYPES.sms);
    const { orgId } = principal;
    const message = messageOf(await deps.compose().sms(orgId, body));
    return sentAnswer(await deps.directSends.sms(orgId, { ...message, to: body.to }, idempotencyKey), toSentSmsView);
  },
});

export interface MessageQuery extends PageQuery {
  status?: MessageStatus;
  to?: string;
  q?: string;
  job?: string;
  created_after?: Date;
  created_before?: Date;
}

/** What the endpoints that list the messages of a channel have in common. */
export function messageList(channel: Channel, statuses: readonly MessageStatus[]) {
  return {
    scope: 'messages:read' as const,
    filters: {
      status: Joi.valid(...statuses),
      to: aboutText().description('Messages to exactly this recipient; upper and lower case are the same.'),
      ...(channel === 'email' && {
        q: shortText().description(
          'Emails in whose subject each of these words begins a word. A page of such a list may have fewer emails than `limit`.',
        ),
      }),
      job: Joi.string().pattern(NAME_PATTERN).description('Messages of the job with this id.'),
      created_after: instant().description('Messages created at or after this time.'),
      created_before: instant().description('Messages created before this time.'),
    },
    rows: async (db: Db, orgId: OrgId, query: MessageQuery, types: VisibleTypes) => {
      if (!isVisible(types, MESSAGE_TYPES[channel])) return NO_ROWS;
      const { to, q, job: jobId, created_after: createdAfter, created_before: createdBefore, ...page } = query;
      const recipients = to === undefined ? undefined : channel === 'email' ? formsOf(to) : [to];
      const matches = q === undefined ? undefined : matcherOf(q);
      return listMessages(db, orgId, channel, { ...page, recipients, matches, jobId, createdAfter, createdBefore });
    },
  };
}

/** The organization's emails, sent by jobs or directly, newest first. */
export const listEmails = defineListEndpoint({
  path: '/email/messages',
  summary: 'List emails',
  ...messageList('email', EMAIL_STATUSES),
  description: 'A page of emails',
  view: emailView,
  toView: toEmailView,
});

/** An email with its text and the events that its provider has reported. */
export const getEmail = defineReadEndpoint({
  path: '/email/messages/:id',
  summary: 'Read an email',
  scope: 'messages:read',
  description: 'The email.',
  view: emailDetailView,
  find: (db, orgId, id) => findMessage(db, orgId, 'email', id),
  toView: toEmailDetailView,
});

/** The organization's SMS, sent by jobs or directly, newest first. */
export const listSms = defineListEndpoint({
  path: '/sms/messages',
  summary: 'List SMS',
  ...messageList('sms', SMS_STATUSES),
  description: 'A page of SMS',
  view: smsView,
  toView: toSmsView,
});

/** An SMS with its text and the events that its provider has reported. */
export const getSms = defineReadEndpoint({
  path: '/sms/messages/:id',
  summary: 'Read an SMS',
  scope: 'messages:read',
  description: 'The SMS.',
  view: smsDetailView,
  find: (db, orgId, id) => findMessage(db, orgId, 'sms', id),
  toView: toSmsDetailView,
});
