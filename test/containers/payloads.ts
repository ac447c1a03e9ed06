import type { FakeProviders } from './fake-providers.js';

/** A payload for each built-in type, whose calls go to these servers. `send_sms` needs the sender id ACME. */
export function payloadsFor({ hooks, photoUrl }: FakeProviders): Record<string, object> {
  return {
    send_email: { to: 'ada@example.com', subject: 'Hi', body: 'Hi, Ada' },
    send_sms: { to: '+254711000111', from: 'ACME', message: 'Hi' },
    send_chat_message: { to: '+254712345678', message: 'Hi' },
    team_chat_notify: { channel: '#ops', text: 'Hi' },
    mobile_money_stk: { phone: '254708374149', amount: 100, ref: 'INV-1001' },
    ai_summarize: { text: 'A long text.', length: 2 },
    webhook: { url: `${hooks.url}/hook`, payload: { n: 1 } },
    generate_pdf: { template: '<h1>Hello {{ name }}</h1>', data: { name: 'Ada' } },
    compress_image: { url: photoUrl, width: 200 },
  };
}
