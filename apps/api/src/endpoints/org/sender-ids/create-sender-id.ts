import { AppError } from '@jobline/contracts';
import { addWithinQuota, createSenderId as createSenderIdRow, recordAudit } from '@jobline/db';
import { isSenderId } from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { orNameTaken, quotaReached } from '../../../http/errors.js';
import { fieldsOf } from '../../../http/fields.js';
import { json } from '../../../http/response-specs.js';
import { senderIdView, toSenderIdView } from '../../../views/sender-view.js';

/**
 * Registers a name or number as the sender of text messages. No other organization may have it. The SMS provider decides
 * whether networks accept it.
 */
export const createSenderId = defineEndpoint({
  method: 'post',
  path: '/org/sender-ids',
  summary: 'Register a sender id for SMS',
  auth: 'bearer',
  right: 'senders',
  needs: ['db', 'settings'],
  limits: { caller: 'manage' },
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
