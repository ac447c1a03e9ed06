import { PHOTO_PATH } from './listener.js';

export interface DemoJob {
  title: string;
  type: string;
  /** `run` differs at every start. */
  payload(listenerUrl: string, run: string): object;
  maxRetries?: number;
  needsChromium?: true;
  /** The job runs only while this setting has its default: a demo must not send messages or cost money. */
  onlyWith?: readonly [variable: string, value: string];
  /** Where the message is whose id is in the result. */
  messages?: 'email' | 'sms';
  webhook?: DemoWebhook;
}

interface DemoWebhook {
  path(run: string): string;
  /** The expected answers of the listener. */
  answers: readonly number[];
}

/** The sender of the demo's text message. */
export const DEMO_SENDER_ID = 'Baobab';

const SUMMARY_TEXT =
  'The bakery opened at six in the morning, before the first buses came into town. ' +
  'By seven the queue for warm bread reached the corner of the market, and the bread was gone by nine. ' +
  'The baker has ordered a second oven, which is to arrive next week. ' +
  'With two ovens the bakery can bake warm bread for the market until noon.';

/** The jobs of `npm start`: at least one of every built-in type. Each is expected to end as `done`. */
export const DEMO_JOBS: readonly DemoJob[] = [
  webhookJob('A webhook', 'order.paid', { path: (run) => `/orders/${run}`, answers: [200] }),
  webhookJob('A webhook that fails twice', 'order.shipped', {
    path: (run) => `/flaky/${run}`,
    answers: [500, 500, 200],
  }),
  {
    title: 'A photo that is made smaller',
    type: 'compress_image',
    payload: (listenerUrl) => ({ url: `${listenerUrl}${PHOTO_PATH}`, width: 800 }),
  },
  {
    title: 'An invoice as a PDF',
    needsChromium: true,
    type: 'generate_pdf',
    payload: () => ({
      template: 'invoice',
      data: {
        company: { name: 'Baobab Bakery', address: '12 Market Street\nNairobi' },
        customer: { name: 'Ada Achieng', address: '4 Garden Road\nMombasa' },
        number: 'A-1001',
        currency: 'KES',
        tax_rate: 16,
        items: [
          { description: 'Sourdough bread', quantity: 20, unit_price: 180 },
          { description: 'Delivery', quantity: 1, unit_price: 600 },
        ],
      },
    }),
  },
  {
    title: 'An email',
    type: 'send_email',
    onlyWith: ['EMAIL_PROVIDER', 'sandbox'],
    messages: 'email',
    payload: () => ({
      to: 'ada@example.com',
      subject: 'Your order A-1001',
      body: '<p>Twenty loaves are on their way.</p>',
    }),
  },
  {
    title: 'A text message from a registered sender',
    type: 'send_sms',
    onlyWith: ['SMS_PROVIDER', 'sandbox'],
    messages: 'sms',
    payload: () => ({ to: '+254700000001', from: DEMO_SENDER_ID, message: 'Order A-1001 is on its way.' }),
  },
  {
    title: 'A chat message',
    type: 'send_chat_message',
    onlyWith: ['CHAT_PROVIDER', 'sandbox'],
    payload: () => ({ to: '+254700000001', message: 'Your driver is five minutes away.' }),
  },
  {
    title: 'A message to the team chat',
    type: 'team_chat_notify',
    onlyWith: ['TEAM_CHAT_PROVIDER', 'sandbox'],
    payload: () => ({ channel: '#orders', text: 'Order A-1001 has been paid.' }),
  },
  {
    title: 'A payment prompt on a phone',
    type: 'mobile_money_stk',
    onlyWith: ['PAYMENTS_PROVIDER', 'sandbox'],
    payload: () => ({ phone: '254700000001', amount: 4_872, ref: 'A-1001' }),
  },
  {
    title: 'A summary of a text',
    type: 'ai_summarize',
    onlyWith: ['AI_PROVIDER', 'local'],
    payload: () => ({ text: SUMMARY_TEXT, length: 1 }),
  },
];

function webhookJob(title: string, event: string, webhook: DemoWebhook): DemoJob {
  return {
    title,
    type: 'webhook',
    payload: (listenerUrl, run) => ({ url: `${listenerUrl}${webhook.path(run)}`, payload: { event, order: 'A-1001' } }),
    maxRetries: 3,
    webhook,
  };
}
