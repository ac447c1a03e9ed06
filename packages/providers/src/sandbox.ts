import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderFailure } from '@jobline/handlers/errors';
import {
  type Chat,
  domainOf,
  type Email,
  type EmailProvider,
  type PaymentsProvider,
  type SmsProvider,
  type TeamChat,
} from '@jobline/handlers/ports';
import Joi from 'joi';
import { defineProvider } from './define-provider.js';
import { addressSetting } from './email/named-address.js';
import { OUTCOME_MS, outcomeOfPrompt, promptIdsFor } from './sandbox-outcomes.js';

/**
 * The providers that send nothing, for development. They accept messages as the real ones do, and some recipients have
 * outcomes.
 */

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
  create: ({ EMAIL_DEFAULT_FROM, EMAIL_SANDBOX_DIR }, { sandboxReports }) => ({
    provider: 'sandbox',
    defaultFrom: EMAIL_DEFAULT_FROM,
    acceptsInPart: false,
    acceptsEmptyAttachments: true,
    async send(email, signal) {
      signal.throwIfAborted();
      const { id, to, copies = [] } = email;
      if ([to, ...copies.map((copy) => copy.to)].some((one) => domainOf(one) === one))
        throw new ProviderFailure('rejected', 'sandbox: the recipient is not an email address');
      if (EMAIL_SANDBOX_DIR !== undefined) await keep(EMAIL_SANDBOX_DIR, email);
      for (const copy of copies) sandboxReports?.email(copy.to, copy.id);
      return { providerMessageId: sandboxReports?.email(to, id) ?? null };
    },
  }),
});

/** Only the owner can read the files: an email may contain a link that opens an account. */
async function keep(dir: string, { id, to, copies = [], from, replyTo, subject, content, ...email }: Email) {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const headers: [string, string][] = [
    ['To', to],
    ...copies.map((copy): [string, string] => [copy.kind === 'cc' ? 'Cc' : 'Bcc', copy.to]),
    ['From', from],
    ...(replyTo ? [['Reply-To', replyTo] satisfies [string, string]] : []),
    ...Object.entries(email.headers ?? {}),
    ['Subject', subject],
    ...(email.attachments ?? []).map(({ filename }): [string, string] => ['Attachment', filename]),
  ];
  const head = headers.map(([name, value]) => `${name}: ${value}\n`).join('');
  await writeFile(join(dir, `${id}.txt`), `${head}\n${content.html ?? content.text}\n`, { mode: 0o600 });
}

export const smsSandbox = defineProvider<object, SmsProvider>({
  name: 'sandbox',
  create: (_settings, { sandboxReports }) => ({
    provider: 'sandbox',
    defaultFrom: null,
    choosesSender: true,
    async send({ to }, signal) {
      signal.throwIfAborted();
      if (!/^\+[1-9]\d{6,14}$/.test(to))
        throw new ProviderFailure('rejected', 'sandbox: the recipient is not a phone number');
      return { providerMessageId: sandboxReports?.text(to) ?? null };
    },
  }),
});

export const chatSandbox = defineProvider<object, Chat>({
  name: 'sandbox',
  create: (_settings, { sandboxReports }) => ({
    provider: 'sandbox',
    async send({ to }, signal) {
      signal.throwIfAborted();
      return { providerMessageId: sandboxReports?.text(to) ?? null };
    },
  }),
});

export const teamChatSandbox = defineProvider<object, TeamChat>({
  name: 'sandbox',
  create: () => ({
    provider: 'sandbox',
    async post(_message, signal) {
      signal.throwIfAborted();
      return { providerMessageId: null };
    },
  }),
});

export const paymentsSandbox = defineProvider<object, PaymentsProvider>({
  name: 'sandbox',
  create: () => ({
    provider: 'sandbox',
    firstQueryMs: OUTCOME_MS,
    async prompt({ phone }) {
      if (phone.endsWith('0009')) throw new ProviderFailure('ambiguous', 'sandbox: the prompt was not answered');
      return promptIdsFor(phone);
    },
    query: async (requestId) => outcomeOfPrompt(requestId),
  }),
});
