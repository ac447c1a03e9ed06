import type { Chat } from '@jobline/handlers/ports';
import { defineProvider } from '../define-provider.js';

/** Accepts messages without sending them. */
export const sandbox = defineProvider<object, Chat>({
  name: 'sandbox',
  create: () => ({
    provider: 'sandbox',
    async send(_message, signal) {
      signal.throwIfAborted();
      return { providerMessageId: null };
    },
  }),
});
