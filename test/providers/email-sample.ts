import type { EmailProvider, Email as OutgoingEmail } from '@jobline/handlers';
import { emailProviders } from '@jobline/providers';
import { silentLogger } from '@jobline/runtime';

export const ID = '01910e5c-2f3a-7000-8000-000000000001';

export const EMAIL: OutgoingEmail = {
  id: ID,
  to: 'ada@example.org',
  from: '"Acme, Inc." <hello@acme.example>',
  subject: 'Grüße, Ada',
  content: { html: null, text: 'Price: 3 < 4 and 5 > 4, <you@see.example>.\nÀ bientôt.' },
};
/** A part of the body that must not appear in a failure. */
export const EXCERPT = 'Price: 3';

export const HTML = '<p>Hello <b>Ada</b></p>';

/** The email provider that the settings choose. */
export function send(env: object, email: Partial<OutgoingEmail> = {}, signal = new AbortController().signal) {
  return open(env).send({ ...EMAIL, ...email }, signal);
}

export function open(env: object): EmailProvider {
  return emailProviders.open(env, { log: silentLogger });
}
