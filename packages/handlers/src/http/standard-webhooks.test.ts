import { expect, test } from 'vitest';
import { standardWebhookHeaders } from './standard-webhooks.js';

// The example of the specification. To compute the signature with openssl: printf '%s' "$id.$timestamp.$body" |
// openssl dgst -sha256 -mac HMAC -macopt hexkey:<the bytes of the secret> -binary | base64
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampS: 1614265330, body: '{"test": 2432232314}' };
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

test('the example of the specification has the signature of the specification', () => {
  expect(standardWebhookHeaders([SECRET], MESSAGE)).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': SIGNATURE,
  });
});

test('a webhook has a signature of each secret, in order', () => {
  const other = `whsec_${Buffer.from('another secret').toString('base64')}`;

  const signatures = standardWebhookHeaders([SECRET, other], MESSAGE)['webhook-signature']?.split(' ');

  expect(signatures).toEqual([SIGNATURE, expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/)]);
  expect(signatures?.[1]).not.toBe(SIGNATURE);
});

test('the signature depends on the id, the timestamp and every byte of the body', () => {
  const changed = [
    { ...MESSAGE, id: 'msg_other' },
    { ...MESSAGE, timestampS: MESSAGE.timestampS + 1 },
    { ...MESSAGE, body: `${MESSAGE.body} ` },
  ].map((message) => standardWebhookHeaders([SECRET], message)['webhook-signature']);

  expect(new Set([SIGNATURE, ...changed]).size).toBe(4);
});

// Otherwise the wrong bytes would be used silently, and every receiver would reject the webhook.
test('a webhook secret without its prefix is rejected', () => {
  expect(() => standardWebhookHeaders(['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], MESSAGE)).toThrow('whsec_');
});
