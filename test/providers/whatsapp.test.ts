import type { ChatTemplate } from '@jobline/handlers';
import { chatProviders } from '@jobline/providers';
import { silentLogger } from '@jobline/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { failsAsAgreed, type Trouble } from './conformance.js';
import { failureOf } from './failing-calls.js';
import { type HttpAnswer, type HttpBehavior, httpStandIn } from './http-stand-in.js';
import { closeAll } from './receivers.js';

const never = new AbortController().signal;
const ACCEPTED: HttpAnswer = {
  status: 200,
  body: {
    messaging_product: 'whatsapp',
    contacts: [{ input: '+254712345678', wa_id: '254712345678' }],
    messages: [{ id: 'wamid.HBgL', message_status: 'accepted' }],
  },
};
const MESSAGE = { to: '+254712345678', message: 'Hello <b>you</b>' };

const TEMPLATES = [
  { name: 'promo', language: 'ar', parameters: ['سلام', '١٢٣'] },
  { name: 'order_update', language: 'zh_CN', parameters: ['订单 1001'] },
  { name: 'sale', language: 'en_GB', parameters: ['🎉 50 % off', '*bold* _x_', '{{1}}'] },
  { name: 'long', language: 'id', parameters: ['0'.repeat(1_000)] },
];

const sentAs = (template: (typeof TEMPLATES)[number]): [ChatTemplate, object] => {
  const { name, language: code, parameters } = template;
  const components = [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }];
  return [template, { name, language: { code }, components }];
};

const refused = (status: number, code: number, more = {}): HttpAnswer => ({
  status,
  body: { error: { message: '(#131047) Re-engagement message', type: 'OAuthException', code, ...more } },
});

function open(url: string, more: object = {}, context = { log: silentLogger }) {
  const settings = { CHAT_API_KEY: 'the-token', CHAT_PHONE_NUMBER_ID: '106540352242922' };
  return chatProviders.open({ CHAT_PROVIDER: 'whatsapp', CHAT_BASE_URL: url, ...settings, ...more }, context);
}

afterEach(closeAll);

describe('a WhatsApp message', () => {
  it('is sent in the form of the Cloud API and identified by its id', async () => {
    const server = await httpStandIn(ACCEPTED);

    const sent = await open(server.url).send(MESSAGE, never);

    expect(sent).toEqual({ providerMessageId: 'wamid.HBgL' });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/some/base/v23.0/106540352242922/messages' });
    expect(request?.headers).toMatchObject({ authorization: 'Bearer the-token', 'content-type': 'application/json' });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '254712345678',
      type: 'text',
      text: { body: 'Hello <b>you</b>', preview_url: false },
    });
  });

  it.each<[ChatTemplate, object]>([
    [
      { name: 'hello_world', language: 'en_US' },
      { name: 'hello_world', language: { code: 'en_US' } },
    ],
    [
      { name: 'reorder_7', language: 'pt_BR', parameters: [] },
      { name: 'reorder_7', language: { code: 'pt_BR' } },
    ],
    ...TEMPLATES.map(sentAs),
    [
      { name: 'order_ready', language: 'sw', parameters: ['Ada', '1 & 2'] },
      {
        name: 'order_ready',
        language: { code: 'sw' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ada' },
              { type: 'text', text: '1 & 2' },
            ],
          },
        ],
      },
    ],
  ])('with an approved template is sent in the form of the Cloud API: %j', async (template, expected) => {
    const server = await httpStandIn(ACCEPTED);

    const sent = await open(server.url).send({ to: MESSAGE.to, template }, never);

    expect(sent).toEqual({ providerMessageId: 'wamid.HBgL' });
    expect(server.requests).toHaveLength(1);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '254712345678',
      type: 'template',
      template: expected,
    });
  });

  it.each(['w', 'me'])('is accepted if the access token is %j, which the answer contains', async (token) => {
    const server = await httpStandIn(ACCEPTED);

    expect(await open(server.url, { CHAT_API_KEY: token }).send(MESSAGE, never)).toEqual({
      providerMessageId: 'wamid.HBgL',
    });
  });

  it('is rejected before it is sent if the recipient is not a phone number', async () => {
    const server = await httpStandIn(ACCEPTED);

    expect((await failureOf(open(server.url).send({ ...MESSAGE, to: '@ada' }, never))).kind).toBe('rejected');
    expect(server.requests).toEqual([]);
  });
});

describe('a WhatsApp error', () => {
  it.each<[string, HttpBehavior, string]>([
    ['a closed window', refused(400, 131047), 'rejected'],
    ['an expired token', refused(401, 190), 'rejected'],
    ['an unknown code', refused(500, 999), 'rejected'],
    ['a service that is down', refused(500, 131016), 'transient'],
    ['an exceeded throughput', refused(400, 130429), 'throttled'],
    ['an error marked as transient', refused(400, 190, { is_transient: true }), 'transient'],
    ['an error of a gateway', { status: 502, body: '<html>' }, 'transient'],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'rejected'],
    ['a template that does not exist', refused(404, 132001), 'rejected'],
    ['a success without an id', { status: 200, body: '{"messages":[]}' }, 'ambiguous'],
    ['a success with an odd id', { status: 200, body: '{"messages":[{"id":"a b"}]}' }, 'ambiguous'],
  ])('is classified by its code: %s', async (_, behavior, kind) => {
    const server = await httpStandIn(behavior);

    expect((await failureOf(open(server.url).send(MESSAGE, never))).kind).toBe(kind);
    expect(server.requests).toHaveLength(1);
  });
});

failsAsAgreed('whatsapp', async (timeoutMs) => {
  const server = await httpStandIn(ACCEPTED);
  const behaviors: Record<Exclude<Trouble, 'is unreachable'>, HttpBehavior> = {
    rejects: refused(400, 100, { message: 'Invalid parameter for the-token' }),
    fails: refused(500, 2),
    throttles: { ...refused(429, 80007), headers: { 'retry-after': '7' } },
    'does not answer': 'silence',
    'closes the connection': 'cut',
    'sends half an answer': { half: ACCEPTED },
  };
  return {
    send: (signal, context) => open(server.url, { CHAT_TIMEOUT_MS: timeoutMs }, context).send(MESSAGE, signal),
    meet: (trouble) =>
      trouble === 'is unreachable' ? server.leave() : void Object.assign(server, { behavior: behaviors[trouble] }),
    received: () => server.requests.length,
    secrets: ['the-token', 'Hello'],
    rejection: 'Invalid parameter',
  };
});
