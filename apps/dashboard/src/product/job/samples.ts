/** An example payload for each built-in type. The API accepts each of them without any configuration. */
export const SAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ai_summarize: { text: 'A queue takes what cannot be done at once. A worker does it later.', length: 'short' },
  generate_pdf: { template: 'invoice', data: { number: 'INV-1001' } },
  compress_image: { url: 'https://example.com/photo.jpg', width: 1200, quality: 80 },
  webhook: { url: 'https://example.com/hook', payload: { order: 1001 } },
  send_email: { to: 'grace@example.com', subject: 'Your order', body: '<p>Order 1001 is on its way.</p>' },
  send_sms: { to: '+254700000001', message: 'Order 1001 is on its way.' },
  send_chat_message: { to: '+254700000001', message: 'Order 1001 is on its way.' },
  team_chat_notify: { channel: '#orders', text: 'Order 1001 was paid.' },
  mobile_money_stk: { phone: '254700000001', amount: 1500, ref: 'ORDER-1001' },
};

/** The type of the job that “Run a sample job” submits. It sends nothing, and every worker can run it. */
export const SAMPLE_TYPE = 'ai_summarize';

export function sampleText(type: string): string {
  return JSON.stringify(SAMPLES[type] ?? {}, null, 2);
}

/** Whether the payload is empty or an unchanged example. Selecting another type may then replace it. */
export function isSampleText(text: string): boolean {
  return text.trim() === '' || text.trim() === '{}' || Object.keys(SAMPLES).some((type) => sampleText(type) === text);
}
