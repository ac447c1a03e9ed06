import { AppError } from '@jobline/contracts';
import { proveAddress } from '@jobline/db';
import { makeProofMail } from '../auth/proof-mail.js';
import { linkTokenHash } from '../auth/secrets.js';
import { defineEndpoint } from '../endpoint.js';
import { fieldsOf } from '../http/fields.js';
import { empty } from '../http/response-specs.js';
import { addressKey } from '../rate-limits/client-address.js';
import { tooBusy } from '../rate-limits/rate-limit-state.js';
import { linkToken } from './accept-invite.js';

const RETRY_AFTER_S = 60;

/**
 * Verifies the address of the signed-in user with an emailed link, once. The link alone does nothing: the owner of an address must
 * not confirm the account that another person created for it.
 */
export const verifyAddress = defineEndpoint({
  method: 'post',
  path: '/auth/verify',
  summary: 'Verify your email address',
  right: 'account',
  needs: ['db'],
  body: fieldsOf({ token: linkToken() }),
  responses: { 204: empty('The address is verified.') },
  errors: ['not_found'],
  async handle({ deps, principal, body }) {
    if (await proveAddress(deps.db, principal.userId, linkTokenHash(body.token))) return { status: 204 };
    throw new AppError('not_found', 'This link is invalid, has expired or belongs to another account.');
  },
});

/** Emails the link that verifies the address of the signed-in user, at most once a day. */
export const sendVerification = defineEndpoint({
  method: 'post',
  path: '/auth/verify/send',
  summary: 'Request a link that verifies your email address',
  right: 'account',
  needs: ['db', 'settings', 'systemMails'],
  responses: { 202: empty('The link will be emailed.') },
  errors: ['conflict', 'rate_limited'],
  async handle({ deps: { db, settings, systemMails }, principal: { userId }, origin }) {
    if (!systemMails.hasSender) throw new AppError('conflict', 'This installation has no sender for its own emails.');
    const mail = await makeProofMail({ db, publicUrl: settings.publicUrl }, userId);
    if (!mail) {
      throw new AppError(
        'conflict',
        'Your address is verified already, or a link was emailed to it in the last 24 hours.',
      );
    }
    const source = addressKey(origin.ip ?? undefined);
    const posted = systemMails.post({ kind: 'address', to: mail.to, source, make: async () => mail });
    if (posted === 'taken') return { status: 202 };
    await mail.takeBack?.();
    throw tooBusy('Too many emails are waiting to be sent.', RETRY_AFTER_S);
  },
});
