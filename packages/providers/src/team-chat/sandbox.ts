import type { TeamChat } from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from '../define-provider.js';

/** Accepts messages without sending them. */
export const sandbox = defineProvider<object, TeamChat>({
  name: 'sandbox',
  settings: Joi.object({}),
  create: () => ({
    provider: 'sandbox',
    async post(_message, signal) {
      signal.throwIfAborted();
      return { providerMessageId: null };
    },
  }),
});
