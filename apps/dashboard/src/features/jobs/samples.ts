/** A payload to begin with for each built-in type. None needs anything to be set up. */
export const SAMPLES: Readonly<Record<string, { hint: string; payload: Readonly<Record<string, unknown>> }>> = {
  ai_summarize: {
    hint: 'Sums up a text',
    payload: {
      text: 'A queue takes what cannot be done at once. A worker does it later.',
      length: 'short',
    },
  },
  generate_pdf: { hint: 'Fills in a template', payload: { template: 'invoice', data: { number: 'INV-1001' } } },
  compress_image: {
    hint: 'Makes a picture smaller',
    payload: { url: 'https://example.com/photo.jpg', width: 1200, quality: 80 },
  },
  webhook: {
    hint: 'Posts JSON, signed, to an address',
    payload: { url: 'https://example.com/hook', payload: { order: 1001 } },
  },
  send_email: {
    hint: 'Sends an email',
    payload: { to: 'grace@example.com', subject: 'Your order', body: '<p>Order 1001 is on its way.</p>' },
  },
  send_sms: { hint: 'Sends a text message', payload: { to: '+254700000001', message: 'Order 1001 is on its way.' } },
  send_chat_message: {
    hint: 'Sends a chat message',
    payload: { to: '+254700000001', message: 'Order 1001 is on its way.' },
  },
  team_chat_notify: {
    hint: 'Posts to a channel of the team',
    payload: { channel: '#orders', text: 'Order 1001 was paid.' },
  },
  mobile_money_stk: {
    hint: 'Asks a phone for a payment',
    payload: { phone: '254700000001', amount: 1500, ref: 'ORDER-1001' },
  },
};

/** What “Run a sample job” submits: it reaches nobody and every worker can do it. */
export const SAMPLE_TYPE = 'ai_summarize';

export function sampleText(type: string): string {
  return JSON.stringify(SAMPLES[type]?.payload ?? {}, null, 2);
}

/** Whether nobody has written anything of their own: then another type may bring its own example. */
export function isSampleText(text: string): boolean {
  return text.trim() === '' || text.trim() === '{}' || Object.keys(SAMPLES).some((type) => sampleText(type) === text);
}
