import { isObject } from '../../format/index.js';

/** Returns the error message for a payload that is not a JSON object; null if it is valid. */
export function payloadError(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? null : 'Must be a JSON object: { … }.';
  } catch (error) {
    return `Invalid JSON${locationOf(error, text)}.`;
  }
}

/** Parses a payload that was checked before. */
export function payloadOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}

/** Reads the location of a syntax error. Chromium reports a position or a line, Firefox a line and a column. */
function locationOf(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : '';
  const location = /line (\d+) column (\d+)/.exec(message);
  if (location) return `: see line ${location[1]}, column ${location[2]}`;
  const position = /position (\d+)/.exec(message);
  if (position) {
    const before = text.slice(0, Number(position[1])).split('\n');
    return `: see line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  }
  return /end of/i.test(message) ? ': it is incomplete' : '';
}

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
