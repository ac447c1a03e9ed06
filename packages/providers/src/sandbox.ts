import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderFailure } from '@jobline/handlers/errors';
import type { Chat, Email, EmailProvider, PaymentsProvider, SmsProvider, TeamChat } from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from './define-provider.js';
import { addressSetting, domainOf } from './email/named-address.js';

/** The providers that send nothing, for development. They accept messages as the real ones do. */

interface EmailSettings {
  EMAIL_DEFAULT_FROM: string;
  EMAIL_SANDBOX_DIR?: string;
}

/** Its default sender is an address that cannot exist. Messages can be kept as files. */
export const emailSandbox = defineProvider<EmailSettings, EmailProvider>({
  name: 'sandbox',
  settings: Joi.object({
    EMAIL_DEFAULT_FROM: addressSetting.default('sandbox@jobline.invalid'),
    EMAIL_SANDBOX_DIR: Joi.string(),
  }),
  create: ({ EMAIL_DEFAULT_FROM, EMAIL_SANDBOX_DIR }) => ({
    provider: 'sandbox',
    defaultFrom: EMAIL_DEFAULT_FROM,
    async send(email, signal) {
      signal.throwIfAborted();
      const { to } = email;
      if (domainOf(to) === to) throw new ProviderFailure('rejected', 'sandbox: the recipient is not an email address');
      if (EMAIL_SANDBOX_DIR !== undefined) await keep(EMAIL_SANDBOX_DIR, email);
      return { providerMessageId: null };
    },
  }),
});

/** Only the owner can read the files: an email may contain a link that opens an account. */
async function keep(dir: string, { id, to, from, subject, body }: Email): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const text = `To: ${to}\nFrom: ${from}\nSubject: ${subject}\n\n${body}\n`;
  await writeFile(join(dir, `${id}.txt`), text, { mode: 0o600 });
}

export const smsSandbox = defineProvider<object, SmsProvider>({
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

export const chatSandbox = defineProvider<object, Chat>({
  name: 'sandbox',
  create: () => ({ provider: 'sandbox', send: accept }),
});

export const teamChatSandbox = defineProvider<object, TeamChat>({
  name: 'sandbox',
  create: () => ({ provider: 'sandbox', post: accept }),
});

async function accept(_message: object, signal: AbortSignal): Promise<{ providerMessageId: null }> {
  signal.throwIfAborted();
  return { providerMessageId: null };
}

/** There is never an outcome. */
export const paymentsSandbox = defineProvider<object, PaymentsProvider>({
  name: 'sandbox',
  create: () => ({ provider: 'sandbox', prompt: async () => null, query: async () => null }),
});
