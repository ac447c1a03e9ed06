import { AppError, SENDER_ID_STATUSES } from '@jobline/contracts';
import {
  addWithinQuota,
  createSenderId as createSenderIdRow,
  listSenderIds as listSenderIdsRows,
  recordAudit,
  type SenderIdRow,
} from '@jobline/db';
import { isSenderId } from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import type { SenderIdMode } from '../config.js';
import { defineEndpoint } from '../endpoint.js';
import { orNameTaken, quotaReached } from '../http/errors.js';
import { fieldsOf, uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { timestamp, view } from '../http/view.js';
import { defineListEndpoint, defineRemovalEndpoint } from './row-endpoints.js';

const senderIdView = view<ReturnType<typeof toSenderIdView>>('SenderId', {
  id: uuid(),
  sender_id: Joi.string(),
  status: Joi.valid(...SENDER_ID_STATUSES)
    .description(
      '`pending`: the operator must approve it first. Absent for a usable sender id if no approval is required.',
    )
    .optional(),
  created_at: timestamp(),
});

/** If no approval is required, only a sender id that cannot be used has a status. */
function toSenderIdView(row: SenderIdRow, approval: SenderIdMode) {
  const { id, senderId, status, createdAt } = row;
  const isShown = approval === 'approved' || status === 'pending';
  return { id, sender_id: senderId, ...(isShown && { status }), created_at: createdAt.toISOString() };
}

/**
 * Registers a name or number as the sender of text messages. No other organization may have it. The SMS provider decides
 * whether networks accept it.
 */
export const createSenderId = defineEndpoint({
  method: 'post',
  path: '/org/sender-ids',
  summary: 'Register a sender id for SMS',
  right: 'senders',
  needs: ['db', 'settings'],
  body: fieldsOf({ sender_id: senderId() }),
  responses: { 201: json('The sender id.', senderIdView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    const { senderIds } = deps.settings;
    const status = senderIds === 'open' ? 'approved' : 'pending';
    const row = await addWithinQuota(deps.db, principal.orgId, 'sender_ids', async (tx) => {
      const made = await createSenderIdRow(tx, principal.orgId, { senderId: body.sender_id, status });
      if (!made) throw takenByAnother();
      const target = { id: made.id, name: made.senderId };
      await recordAudit(tx, principal.orgId, { ...origin, action: 'sender_id.added', target });
      return made;
    }).catch(orNameTaken('sender_id', body.sender_id));
    if (row === 'full') throw quotaReached('sender_ids');
    return { status: 201, body: toSenderIdView(row, senderIds) };
  },
});

/** The error does not reveal which organization has the sender id. */
function takenByAnother(): AppError {
  return new AppError('conflict', 'Another organization has this sender id; contact the operator if it is yours.', {
    details: [{ path: 'sender_id', message: '"sender_id" is taken by another organization' }],
  });
}

function senderId(): StringSchema {
  return Joi.string()
    .trim()
    .custom((text: string, { message }) =>
      isSenderId(text)
        ? text
        : message({
            custom:
              '{{#label}} must be 1 to 11 letters, digits, spaces and & . _ - with at least one letter, or a number',
          }),
    )
    .prefs({ convert: true });
}

/** The organization's sender ids, newest first. */
export const listSenderIds = defineListEndpoint({
  path: '/org/sender-ids',
  summary: 'List sender ids for SMS',
  right: 'read_senders',
  description: 'A page of sender ids',
  view: senderIdView,
  rows: listSenderIdsRows,
  toView: (row, settings) => toSenderIdView(row, settings.senderIds),
});

/** Removes a sender id. From now on nothing is sent with it, also not by waiting jobs. */
export const deleteSenderId = defineRemovalEndpoint({
  path: '/org/sender-ids/:id',
  summary: 'Remove a sender id',
  right: 'senders',
  description: 'The sender id is removed.',
  action: 'sender_id.removed',
  table: 'sender_ids',
});
