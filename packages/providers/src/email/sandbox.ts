import { ProviderFailure } from '@jobline/handlers/errors';
import type { EmailProvider } from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from '../define-provider.js';
import { addressSetting, domainOf } from './address.js';

interface Settings {
  EMAIL_DEFAULT_FROM: string;
}

/** Sends nothing. Its default sender is one that can have no mailbox. */
export const sandbox = defineProvider<Settings, EmailProvider>({
  name: 'sandbox',
  settings: Joi.object({ EMAIL_DEFAULT_FROM: addressSetting.default('sandbox@jobline.invalid') }),
  create: ({ EMAIL_DEFAULT_FROM }) => ({
    provider: 'sandbox',
    defaultFrom: EMAIL_DEFAULT_FROM,
    async send({ to }, signal) {
      signal.throwIfAborted();
      if (domainOf(to) === to) throw new ProviderFailure('rejected', 'sandbox: the recipient is no email address');
      return { providerMessageId: null };
    },
  }),
});
