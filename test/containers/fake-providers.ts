import { type Receiver, type ReceiverAddress, type Replies, startReceiver } from '../harness/index.js';
import { photo } from '../image/samples.js';
import { africasTalkingAt, sendgridAt, takesEmail, takesSms } from '../messages/support.js';
import { ended, MPESA_SETTINGS, startMpesa } from '../providers/mpesa-server.js';

/** Servers with the protocols of all providers, at an address that containers reach. */
export interface FakeProviders {
  /** The settings of the apps that select these servers. */
  settings: Record<string, string>;
  /** Takes webhooks. */
  hooks: Receiver;
  /** The URL of a photo with 800 × 600 pixels. */
  photoUrl: string;
  /** The number of calls that each provider got. */
  calls(): Record<string, number>;
  /** Forgets the calls, so that a long test needs no memory for them. */
  forget(): void;
  close(): Promise<void>;
}

/** The sender of the service's own emails, which no job sends. */
const SYSTEM_FROM = 'system@acme.example';

export async function startFakeProviders(address: string): Promise<FakeProviders> {
  const at: ReceiverAddress = { listensOn: '0.0.0.0', address };
  const start = (reply: Replies) => startReceiver(reply, at);
  const always = (body: object) => start(() => ({ body: JSON.stringify(body) }));
  const jpeg = await photo(800, 600).jpeg().toBuffer();
  const message = { role: 'assistant', content: 'In short.' };
  const [email, sms, chat, teamChat, ai, hooks, photos] = await Promise.all([
    start(takesEmail),
    start(takesSms),
    always({ messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] }),
    always({ ok: true, channel: 'C1', ts: '1503435956.000247' }),
    always({ model: 'small', choices: [{ index: 0, message, finish_reason: 'stop' }] }),
    start(() => ({})),
    start(() => ({ body: jpeg, headers: { 'content-type': 'image/jpeg' } })),
  ]);
  const mpesa = await startMpesa({ query: () => ended('0', 'The service request is processed successfully.') }, at);
  const received: Record<string, unknown[]> = {
    sms: sms.received,
    chat: chat.received,
    teamChat: teamChat.received,
    ai: ai.received,
    payments: mpesa.pushes,
    hooks: hooks.received,
    photos: photos.received,
  };
  return {
    settings: {
      ...sendgridAt(email.url),
      ...africasTalkingAt(sms.url),
      ...MPESA_SETTINGS,
      EMAIL_SYSTEM_FROM: SYSTEM_FROM,
      PAYMENTS_BASE_URL: mpesa.url,
      CHAT_PROVIDER: 'whatsapp',
      CHAT_BASE_URL: chat.url,
      CHAT_API_KEY: 'token',
      CHAT_PHONE_NUMBER_ID: '106540352242922',
      TEAM_CHAT_PROVIDER: 'slack',
      TEAM_CHAT_BASE_URL: teamChat.url,
      TEAM_CHAT_API_KEY: 'xoxb-token',
      AI_PROVIDER: 'openai',
      AI_BASE_URL: `${ai.url}/v1`,
      AI_MODEL: 'small',
      OUTBOUND_ALLOW_HOSTS: `${hooks.host},${photos.host}`,
    },
    hooks,
    photoUrl: `${photos.url}/photo.jpg`,
    calls: () => ({
      email: email.received.filter(({ text }) => !text.includes(SYSTEM_FROM)).length,
      ...Object.fromEntries(Object.entries(received).map(([provider, calls]) => [provider, calls.length])),
    }),
    forget() {
      for (const calls of [email.received, ...Object.values(received), mpesa.queries, mpesa.tokens]) calls.length = 0;
    },
    async close() {
      const servers = [email, sms, chat, teamChat, ai, hooks, photos, mpesa];
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
