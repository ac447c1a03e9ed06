import { makeResetMail } from '../../auth/reset-mail.js';
import { defineEndpoint } from '../../endpoint.js';
import { email, fieldsOf } from '../../http/fields.js';
import { empty } from '../../http/response-specs.js';
import { addressKey } from '../../rate-limits/client-address.js';
import { tooBusy } from '../../rate-limits/rate-limit-state.js';

const RETRY_AFTER_S = 60;

/**
 * Mails a link for a new password, if the address has an account and fewer than five valid links. Both are looked up
 * after the response, so neither its content nor its time reveals them.
 */
export const forgotPassword = defineEndpoint({
  method: 'post',
  path: '/auth/forgot',
  summary: 'Request a new password',
  auth: 'none',
  needs: ['db', 'settings', 'systemMails'],
  limits: { auth: 'recovery', account: ({ body }) => body.email },
  body: fieldsOf({ email: email() }),
  responses: { 202: empty('If the address has an account, a link will be mailed to it.') },
  errors: ['rate_limited'],
  async handle({ deps, origin, body }) {
    const { db, settings, systemMails } = deps;
    const posted = systemMails.post({
      kind: 'password reset',
      to: body.email,
      source: addressKey(origin.ip ?? undefined),
      make: () => makeResetMail({ db, publicUrl: settings.publicUrl }, body.email),
    });
    // `dropped` is not an error: enough emails are waiting for this address, whether it has an account or not.
    if (posted === 'refused') throw tooBusy('Too many emails are waiting to be sent.', RETRY_AFTER_S);
    return { status: 202 };
  },
});
