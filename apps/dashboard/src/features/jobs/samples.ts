/** An example payload for each built-in type. The API accepts each of them without any configuration. */
export const SAMPLES: Readonly<Record<string, { hint: string; payload: Readonly<Record<string, unknown>> }>> = {
  ai_summarize: {
    hint: 'Summarizes a text',
    payload: {
      text: 'A queue takes what cannot be done at once. A worker does it later.',
      length: 'short',
    },
  },
  generate_pdf: { hint: 'Renders a template as a PDF', payload: { template: 'invoice', data: { number: 'INV-1001' } } },
  compress_image: {
    hint: 'Compresses an image',
    payload: { url: 'https://example.com/photo.jpg', width: 1200, quality: 80 },
  },
  webhook: {
    hint: 'Posts signed JSON to a URL',
    payload: { url: 'https://example.com/hook', payload: { order: 1001 } },
  },
  send_email: {
    hint: 'Sends an email',
    payload: { to: 'grace@example.com', subject: 'Your order', body: '<p>Order 1001 is on its way.</p>' },
  },
  send_sms: { hint: 'Sends an SMS', payload: { to: '+254700000001', message: 'Order 1001 is on its way.' } },
  send_chat_message: {
    hint: 'Sends a chat message',
    payload: { to: '+254700000001', message: 'Order 1001 is on its way.' },
  },
  team_chat_notify: {
    hint: 'Posts to a team chat channel',
    payload: { channel: '#orders', text: 'Order 1001 was paid.' },
  },
  mobile_money_stk: {
    hint: 'Sends a payment prompt to a phone',
    payload: { phone: '254700000001', amount: 1500, ref: 'ORDER-1001' },
  },
};

/** The type of the job that “Run a sample job” submits. It sends nothing, and every worker can run it. */
export const SAMPLE_TYPE = 'ai_summarize';

export function sampleText(type: string): string {
  return JSON.stringify(SAMPLES[type]?.payload ?? {}, null, 2);
}

/** Whether the payload is empty or an unchanged example. Selecting another type may then replace it. */
export function isSampleText(text: string): boolean {
  return text.trim() === '' || text.trim() === '{}' || Object.keys(SAMPLES).some((type) => sampleText(type) === text);
}
