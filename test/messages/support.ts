import { generateKeyPairSync, sign } from 'node:crypto';
import type { Channel, OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { newId } from '@jobline/runtime';
import type { Answered, Call, Received, Reply } from '../harness/index.js';

/** The parts of the protocols of SendGrid and Africa's Talking that these tests need. */

export const SMS_SECRET = 'a secret in the address of the callback';

const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const PUBLIC_KEY = keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

export const CALLBACKS = { EMAIL_WEBHOOK_PUBLIC_KEY: PUBLIC_KEY, SMS_WEBHOOK_SECRET: SMS_SECRET };

export function sendgridAt(url: string): Record<string, string> {
  return {
    EMAIL_PROVIDER: 'sendgrid',
    EMAIL_API_KEY: 'SG.key',
    EMAIL_BASE_URL: url,
    EMAIL_DEFAULT_FROM: 'Acme <hello@acme.example>',
  };
}

export function africasTalkingAt(url: string): Record<string, string> {
  return { SMS_PROVIDER: 'africastalking', SMS_API_KEY: 'key', SMS_USERNAME: 'acme', SMS_BASE_URL: url };
}

/** Accepts every email, each with a new id. */
export function takesEmail(_request: Received, n: number): Reply {
  return { status: 202, headers: { 'x-message-id': `sg-${n}` } };
}

/** Accepts every SMS, each with a new id. */
export function takesSms(_request: Received, n: number): Reply {
  const recipient = {
    statusCode: 101,
    status: 'Success',
    cost: 'KES 0.8',
    messageId: `ATPid_${n}`,
    number: '+254711000111',
  };
  return { status: 201, body: JSON.stringify({ SMSMessageData: { Message: 'Sent to 1/1', Recipients: [recipient] } }) };
}

/** The message id that an email was sent with. */
export function idIn(request: Received | undefined): string {
  return JSON.parse(request?.text ?? '{}').custom_args.jl_message_id;
}

/** Posts events as SendGrid does, signed. */
export function postEvents(call: Call, events: unknown, headers?: Record<string, string>): Promise<Answered> {
  const body = typeof events === 'string' ? events : JSON.stringify(events);
  return call('POST', '/webhooks/sendgrid', { raw: body, headers: headers ?? signatureOf(body) });
}

export function signatureOf(body: string, key = keys.privateKey): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'X-Twilio-Email-Event-Webhook-Signature': sign('sha256', Buffer.from(timestamp + body), key).toString('base64'),
    'X-Twilio-Email-Event-Webhook-Timestamp': timestamp,
  };
}

/** Posts a delivery report as Africa's Talking does. */
export function postReport(
  call: Call,
  form: Record<string, string>,
  secret: string | null = SMS_SECRET,
): Promise<Answered> {
  const query = secret === null ? '' : `?secret=${encodeURIComponent(secret)}`;
  return call('POST', `/webhooks/africastalking${query}`, {
    raw: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

/** Creates records of messages as if they had been sent. Returns their ids in the order of their numbers. */
export async function storeMessages(
  db: Db,
  orgId: string,
  count: number,
  as: { channel: Channel; provider: string },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const now = new Date();
  await db.message.createMany({
    data: ids.map((id, n) => ({
      ...as,
      id,
      // The cast: the API returned it as the id of an organization.
      orgId: orgId as OrgId,
      status: 'sent' as const,
      providerMessageId: `${orgId}-${n}`,
      recipient: as.channel === 'email' ? `User${n}@example.com` : `+2547${String(n).padStart(8, '0')}`,
      subject: as.channel === 'email' ? 'Hello' : null,
      body: 'text',
      segments: as.channel === 'sms' ? 1 : null,
      calledAt: now,
      sentAt: now,
      createdAt: now,
      updatedAt: now,
    })),
  });
  return ids;
}
