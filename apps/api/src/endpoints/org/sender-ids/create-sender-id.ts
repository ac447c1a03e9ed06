import { AppError } from '@jobline/contracts';
import { addWithinQuota, createSenderId as createSenderIdRow, isUniqueViolation, recordAudit } from '@jobline/db';
import { isSenderId } from '@jobline/messaging';
import Joi, { type StringSchema } from 'joi';
import { defineEndpoint } from '../../../endpoint.js';
import { quotaFull, taken } from '../../../http/http-errors.js';
import { json } from '../../../http/responses.js';
import { senderIdView, toSenderIdView } from '../../../views/sender-view.js';

interface Body {
  sender_id: string;
}

/**
 * Registers a name or number to send text messages as, which no other organization has. Whether networks take it is for the
 * SMS provider to say.
 */
export const createSenderId = defineEndpoint({
  method: 'post',
  path: '/org/sender-ids',
  summary: 'Register a sender id for SMS',
  auth: 'bearer',
  right: 'senders',
  limits: { caller: 'manage' },
  body: Joi.object<Body, true>({ sender_id: senderId().required() }),
  responses: { 201: json('The sender id.', senderIdView) },
  errors: ['conflict'],
  async handle({ deps, principal, origin, body }) {
    try {
      const { senderIds } = deps.settings;
      const status = senderIds === 'open' ? 'approved' : 'pending';
      const row = await addWithinQuota(deps.db, principal.orgId, 'sender_ids', async (tx) => {
        const made = await createSenderIdRow(tx, principal.orgId, { senderId: body.sender_id, status });
        if (!made) throw ofAnother();
        const target = { id: made.id, name: made.senderId };
        await recordAudit(tx, principal.orgId, { ...origin, action: 'sender_id.added', target });
        return made;
      });
      if (row === 'full') throw quotaFull('sender_ids');
      return { status: 201, body: toSenderIdView(row, senderIds) };
    } catch (error) {
      throw isUniqueViolation(error) ? taken('sender_id', body.sender_id, error) : error;
    }
  },
});

/** Does not say which organization it is. */
function ofAnother(): AppError {
  return new AppError('conflict', 'Another organization has this sender id; ask the operator if it is yours.', {
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
              '{{#label}} must be 1 to 11 letters, digits, spaces and & . _ - with a letter among them, or a number',
          }),
    )
    .prefs({ convert: true });
}
