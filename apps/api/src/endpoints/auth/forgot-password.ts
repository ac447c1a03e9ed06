import { AppError } from '@jobline/contracts';
import Joi from 'joi';
import { makeResetMail } from '../../auth/reset-mail.js';
import { defineEndpoint } from '../../endpoint.js';
import { email } from '../../http/fields.js';
import { empty } from '../../http/responses.js';
import { addressKey } from '../../limits/client-address.js';

interface Body {
  email: string;
}

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
  body: Joi.object<Body, true>({ email: email().required() }),
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
    if (posted === 'refused') throw tooMany();
    return { status: 202 };
  },
});

/** Too many emails for the caller's address, or for all callers together. */
function tooMany(): AppError {
  return new AppError('rate_limited', 'Too many emails are waiting to be sent; try again in a minute.', {
    headers: {
      'Retry-After': String(RETRY_AFTER_S),
      'RateLimit-Limit': '0',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': String(RETRY_AFTER_S),
    },
  });
}
