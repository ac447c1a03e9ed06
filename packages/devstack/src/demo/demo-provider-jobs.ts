import type { DemoJob } from './demo-jobs.js';

/** Whom the demo's SMS is from. */
export const DEMO_SENDER_ID = 'Baobab';

const TEXT =
  'The bakery opened at six in the morning, before the first buses came into town. ' +
  'By seven the queue for warm bread reached the corner of the market, and the bread was gone by nine. ' +
  'The baker has ordered a second oven, which is to arrive next week. ' +
  'With two ovens the bakery can bake warm bread for the market until noon.';

/** The jobs that a provider does: by default a sandbox, which sends nothing and says so. */
export const DEMO_PROVIDER_JOBS: readonly DemoJob[] = [
  {
    title: 'An email',
    type: 'send_email',
    onlyWith: { variable: 'EMAIL_PROVIDER', value: 'sandbox' },
    messages: '/email/messages',
    payload: () => ({
      to: 'ada@example.com',
      subject: 'Your order A-1001',
      body: '<p>Twenty loaves are on their way.</p>',
    }),
  },
  {
    title: 'A text message from a registered sender',
    type: 'send_sms',
    onlyWith: { variable: 'SMS_PROVIDER', value: 'sandbox' },
    messages: '/sms/messages',
    payload: () => ({ to: '+254700000001', from: DEMO_SENDER_ID, message: 'Order A-1001 is on its way.' }),
  },
  {
    title: 'A chat message',
    type: 'send_chat_message',
    onlyWith: { variable: 'CHAT_PROVIDER', value: 'sandbox' },
    payload: () => ({ to: '+254700000001', message: 'Your driver is five minutes away.' }),
  },
  {
    title: 'A word to the team',
    type: 'team_chat_notify',
    onlyWith: { variable: 'TEAM_CHAT_PROVIDER', value: 'sandbox' },
    payload: () => ({ channel: '#orders', text: 'Order A-1001 has been paid.' }),
  },
  {
    title: 'A payment asked for on a telephone',
    type: 'mobile_money_stk',
    onlyWith: { variable: 'PAYMENTS_PROVIDER', value: 'sandbox' },
    payload: () => ({ phone: '254700000001', amount: 4_872, ref: 'A-1001' }),
  },
  {
    title: 'A text made short',
    type: 'ai_summarize',
    onlyWith: { variable: 'AI_PROVIDER', value: 'local' },
    payload: () => ({ text: TEXT, length: 1 }),
  },
];
