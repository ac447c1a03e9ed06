import type { PaymentsProvider } from '@jobline/handlers/ports';
import { defineProvider } from '../define-provider.js';

/** Sends no prompts, so there is never an outcome. */
export const sandbox = defineProvider<object, PaymentsProvider>({
  name: 'sandbox',
  create: () => ({
    provider: 'sandbox',
    prompt: async () => null,
    query: async () => null,
  }),
});
