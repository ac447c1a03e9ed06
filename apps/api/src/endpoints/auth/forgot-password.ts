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
 * Mails a link to a new password, if the address has an account and not five of them that hold. Neither is even looked up
 * before the answer, which tells nothing of it, by its words or by its time.
 */
export const forgotPassword = defineEndpoint({
  method: 'post',
  path: '/auth/forgot',
  summary: 'Ask for a new password',
  auth: 'none',
  limits: { gate: 'recovery', account: ({ body }) => body.email },
  body: Joi.object<Body, true>({ email: email().required() }),
  responses: { 202: empty('If the address has an account, a link is on its way to it.') },
  errors: ['rate_limited'],
  async handle({ deps, origin, body }) {
    const { db, settings, systemMails } = deps;
    const posted = systemMails.post({
      kind: 'password reset',
      to: body.email,
      source: addressKey(origin.ip ?? undefined),
      make: () => makeResetMail({ db, publicUrl: settings.publicUrl }, body.email),
    });
    // Not for `dropped`: those that wait are enough, whether the address has an account or not.
    if (posted === 'refused') throw tooMany();
    return { status: 202 };
  },
});

/** Of the caller's address, or of everybody's together. */
function tooMany(): AppError {
  return new AppError('rate_limited', 'Too many mails wait to be sent; try again in a minute.', {
    headers: {
      'Retry-After': String(RETRY_AFTER_S),
      'RateLimit-Limit': '0',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': String(RETRY_AFTER_S),
    },
  });
}
