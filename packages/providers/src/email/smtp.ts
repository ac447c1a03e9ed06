import type { Email, EmailProvider } from '@jobline/handlers/ports';
import { createFairLimiter } from '@jobline/runtime';
import Joi from 'joi';
import { defineProvider, timeoutSetting } from '../define-provider.js';
import { contentOf } from './content.js';
import { addressSetting, domainOf, splitAddress } from './named-address.js';
import { deliver } from './smtp-delivery.js';

interface Settings {
  EMAIL_SMTP_HOST: string;
  EMAIL_SMTP_PORT?: number;
  EMAIL_SMTP_TLS: 'starttls' | 'tls' | 'none';
  EMAIL_SMTP_USERNAME?: string;
  EMAIL_SMTP_PASSWORD?: string;
  EMAIL_SMTP_CONNECTIONS: number;
  EMAIL_DEFAULT_FROM?: string;
  EMAIL_TIMEOUT_MS: number;
}

/**
 * Text of this size (in characters) or larger is sent as base64, because encoding it as quoted-printable takes five
 * times as long.
 */
const LARGE_TEXT = 64 * 1_024;

const PORTS = { starttls: 587, tls: 465, none: 25 } as const;

/**
 * Any mail server that relays messages. SMTP does not detect repeated messages, so a message may be sent twice if an
 * answer is lost.
 */
export const smtp = defineProvider<Settings, EmailProvider>({
  name: 'smtp',
  settings: Joi.object<Settings>({
    EMAIL_SMTP_HOST: Joi.string().hostname().required(),
    EMAIL_SMTP_PORT: Joi.number().port(),
    EMAIL_SMTP_TLS: Joi.valid('starttls', 'tls', 'none').default('starttls'),
    EMAIL_SMTP_USERNAME: Joi.string(),
    EMAIL_SMTP_PASSWORD: Joi.string(),
    EMAIL_SMTP_CONNECTIONS: Joi.number().integer().min(1).max(1_000).default(5),
    EMAIL_DEFAULT_FROM: addressSetting,
    EMAIL_TIMEOUT_MS: timeoutSetting,
  })
    .and('EMAIL_SMTP_USERNAME', 'EMAIL_SMTP_PASSWORD')
    .messages({ 'object.and': 'Set both EMAIL_SMTP_USERNAME and EMAIL_SMTP_PASSWORD, or neither' }),
  create(settings, { log }) {
    const { EMAIL_SMTP_TLS: tls, EMAIL_SMTP_USERNAME: user, EMAIL_SMTP_PASSWORD: pass } = settings;
    const server = {
      host: settings.EMAIL_SMTP_HOST,
      port: settings.EMAIL_SMTP_PORT ?? PORTS[tls],
      tls,
      auth: user === undefined || pass === undefined ? null : { user, pass },
    };
    const timeoutMs = settings.EMAIL_TIMEOUT_MS;
    const limiter = createFairLimiter({ capacity: settings.EMAIL_SMTP_CONNECTIONS });
    return {
      provider: 'smtp',
      defaultFrom: settings.EMAIL_DEFAULT_FROM ?? null,
      async send(email, signal) {
        const message = await compose(email);
        const info = await limiter.run(() => deliver(server, message, { timeoutMs, signal, log }), { signal });
        return { providerMessageId: info.serverMessageId ?? message.id };
      },
    };
  },
});

/** Builds the message as it is transferred. The recipient is one address, even if it contains commas. */
async function compose({ id, to, from, subject, body, isPlainText }: Email) {
  const { name, address } = splitAddress(from);
  const messageId = `<${id}@${domainOf(address)}>`;
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const node = new MailComposer({
    from: { name, address },
    to: { name: '', address: to },
    subject,
    ...contentOf(body, isPlainText),
    ...(body.length < LARGE_TEXT ? {} : { textEncoding: 'base64' as const }),
    messageId,
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  return { id: messageId, envelope: { from: address, to: [to] }, bytes: await node.build() };
}
