import { createHmac } from 'node:crypto';

/** The signed content. All three parts are sent to the receiver unchanged. */
interface SignedMessage {
  id: string;
  /** Unix seconds. */
  timestampS: number;
  body: string;
}

/**
 * The headers of a signed webhook by the Standard Webhooks specification (standardwebhooks.com, symmetric scheme v1):
 * HMAC-SHA256 of `id.timestamp.body`, with one signature per secret, so that a receiver may have any of them.
 */
export function standardWebhookHeaders(secrets: readonly string[], message: SignedMessage): Record<string, string> {
  const { id, timestampS, body } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': secrets.map((secret) => sign(secret, `${id}.${timestampS}.${body}`)).join(' '),
  };
}

const SECRET_PREFIX = 'whsec_';

function sign(secret: string, content: string): string {
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error(`a webhook secret must start with ${SECRET_PREFIX}`);
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
