import type { TeamChat } from '@jobline/handlers/ports';
import { defineProvider } from '../define-provider.js';

/** Accepts messages without sending them. */
export const sandbox = defineProvider<object, TeamChat>({
  name: 'sandbox',
  create: () => ({
    provider: 'sandbox',
    async post(_message, signal) {
      signal.throwIfAborted();
      return { providerMessageId: null };
    },
  }),
});
