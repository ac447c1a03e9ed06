import { asciiAddress, domainOf, type Email, type EmailProvider } from '@jobline/handlers/ports';
import { createFairLimiter } from '@jobline/runtime';
import Joi from 'joi';
import { defineProvider, timeoutSetting } from '../define-provider.js';
import { headerLines } from './header-lines.js';
import { addressSetting, splitAddress } from './named-address.js';
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
      acceptsInPart: true,
      acceptsEmptyAttachments: true,
      async send(email, signal) {
        const { id, from, recipients, bytes } = await compose(email);
        const message = { envelope: { from, to: [...recipients.keys()] }, bytes };
        const sent = await limiter.run(() => deliver(server, message, { timeoutMs, signal, log }), { signal });
        const refused = sent.refused.map(({ address, failure }) => ({ id: recipients.get(address) ?? '', failure }));
        return { providerMessageId: sent.serverMessageId ?? id, ...(refused.length > 0 && { refused }) };
      },
    };
  },
});

/**
 * Builds the message as it is transferred. Each recipient is one address, even if it contains commas. `recipients`: the ids of
 * the messages by address, in the order of the envelope.
 */
async function compose({ id, to, copies = [], only, from, subject, content: { html, text }, ...email }: Email) {
  const { name, address } = splitAddress(from);
  const sender = asciiAddress(address);
  const isLarge = (html?.length ?? 0) + (text?.length ?? 0) >= LARGE_TEXT;
  const messageId = `<${id}@${domainOf(sender)}>`;
  const cc = copies.filter(({ kind }) => kind === 'cc').map((copy) => bare(copy.to));
  const replyTo = email.replyTo ? splitAddress(email.replyTo) : null;
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const node = new MailComposer({
    from: { name, address: sender },
    to: bare(to),
    ...(cc.length > 0 && { cc }),
    ...(replyTo && { replyTo: { name: replyTo.name, address: asciiAddress(replyTo.address) } }),
    subject,
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    ...(isLarge && { textEncoding: 'base64' as const }),
    attachments: (email.attachments ?? []).map(({ filename, contentType, contentId, bytes }) => ({
      filename,
      // A part of these types could not be encoded, and mail servers may change what is not.
      contentType: /^(?:message|multipart)\//i.test(contentType) ? 'application/octet-stream' : contentType,
      content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      contentTransferEncoding: 'base64' as const,
      ...(contentId !== null && { cid: contentId, contentDisposition: 'inline' as const }),
    })),
    messageId,
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const headers = await Promise.all(Object.entries(email.headers ?? {}).map(([key, value]) => headerLines(key, value)));
  const all = [{ id, to }, ...copies].filter((one) => !only || only.has(one.id));
  return {
    id: messageId,
    from: sender,
    recipients: new Map(all.map((one) => [asciiAddress(one.to), one.id])),
    bytes: Buffer.concat([Buffer.from(headers.join('')), await node.build()]),
  };
}

function bare(address: string) {
  return { name: '', address: asciiAddress(address) };
}
