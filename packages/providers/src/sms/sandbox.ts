import { ProviderFailure } from '@jobline/handlers/errors';
import type { SmsProvider } from '@jobline/handlers/ports';
import { defineProvider } from '../define-provider.js';

/** Accepts messages without sending them. */
export const sandbox = defineProvider<object, SmsProvider>({
  name: 'sandbox',
  create: () => ({
    provider: 'sandbox',
    async send({ to }, signal) {
      signal.throwIfAborted();
      if (!/^\+[1-9]\d{6,14}$/.test(to))
        throw new ProviderFailure('rejected', 'sandbox: the recipient is not a phone number');
      return { providerMessageId: null };
    },
  }),
});
