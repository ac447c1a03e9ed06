import type { PaymentsProvider } from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from '../define-provider.js';

/** Asks nobody, and so never learns of a payment. */
export const sandbox = defineProvider<object, PaymentsProvider>({
  name: 'sandbox',
  settings: Joi.object({}),
  create: () => ({
    provider: 'sandbox',
    prompt: async () => null,
    query: async () => null,
  }),
});
