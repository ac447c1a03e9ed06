import { DEMO_PROVIDER_JOBS } from './demo-provider-jobs.js';
import { PHOTO_PATH } from './listener.js';

/** Where the demo's jobs may turn to. */
export interface DemoSurroundings {
  /** The local listener's address. */
  listenerUrl: string;
  /** Different at every start. */
  run: string;
}

export interface DemoJob {
  title: string;
  type: string;
  payload(surroundings: DemoSurroundings): object;
  maxRetries?: number;
  /** It cannot be done without a browser. */
  needsChromium?: true;
  /** Done only while this setting has this value, its default: nobody is to get a message or a bill from a demo. */
  onlyWith?: { variable: string; value: string };
  /** Where the message is read back whose id the result has. */
  messages?: '/email/messages' | '/sms/messages';
  /** The path at which the listener waits for this job's webhook, and what it is to have answered. */
  webhook?: { path(run: string): string; answers: readonly number[] };
}

/** What `npm start` shows: every built-in type. Each is to end as `done`. */
export const DEMO_JOBS: readonly DemoJob[] = [
  webhookJob({
    title: 'A webhook',
    path: (run) => `/orders/${run}`,
    payload: { event: 'order.paid', order: 'A-1001', amount: 4200 },
    answers: [200],
  }),
  webhookJob({
    title: 'A webhook whose receiver fails twice',
    path: (run) => `/flaky/${run}`,
    payload: { event: 'order.shipped', order: 'A-1001' },
    answers: [500, 500, 200],
    maxRetries: 3,
  }),
  {
    title: 'A photo made smaller',
    type: 'compress_image',
    payload: ({ listenerUrl }) => ({ url: `${listenerUrl}${PHOTO_PATH}`, width: 800 }),
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
  ...DEMO_PROVIDER_JOBS,
];

interface WebhookDemo {
  title: string;
  path(run: string): string;
  payload: object;
  answers: readonly number[];
  maxRetries?: number;
}

function webhookJob({ title, path, payload, answers, maxRetries }: WebhookDemo): DemoJob {
  return {
    title,
    type: 'webhook',
    payload: ({ listenerUrl, run }) => ({ url: `${listenerUrl}${path(run)}`, payload }),
    ...(maxRetries !== undefined && { maxRetries }),
    webhook: { path, answers },
  };
}
