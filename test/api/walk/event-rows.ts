import type { Organization } from './organization.js';
import type { Row } from './row.js';

const hooked = async (of: Organization) => ({ params: { id: (await of.webhook()).id } });
const delivered = async (of: Organization) => {
  const { id, delivery } = await of.delivery();
  return { params: { id, delivery } };
};
const admin = { who: 'admin' } as const;

/** The endpoints of events to webhooks. */
export const EVENT_ROWS: Readonly<Record<string, Row>> = {
  createWebhook: {
    ...admin,
    status: 201,
    ask: (of) => ({ body: { url: `https://${of.fresh()}.example/`, events: ['alert.raised'] } }),
    alsoNaming: async (of) => {
      const headers = { 'Idempotency-Key': of.fresh() };
      const body = { url: 'https://example.com/', events: ['alert.raised'] };
      await of.maker.post('/org/webhooks', body, { headers });
      return [{ body, headers }];
    },
  },
  listWebhooks: {
    ...admin,
    status: 200,
    ask: async (of) => {
      await of.webhook();
      return {};
    },
    alsoNaming: async (of) => {
      const { id } = await of.webhook();
      return [{ query: { cursor: Buffer.from(`9999999999999.${id}`).toString('base64url') } }];
    },
  },
  followEvents: { ...admin, status: 200, ask: () => ({}) },
  getWebhook: { ...admin, status: 200, ask: hooked },
  changeWebhook: { ...admin, status: 200, ask: async (of) => ({ ...(await hooked(of)), body: { enabled: false } }) },
  deleteWebhook: { ...admin, status: 204, ask: hooked },
  rotateSecret: { ...admin, status: 200, ask: hooked },
  testWebhook: { ...admin, status: 202, ask: hooked },
  recoverWebhook: {
    ...admin,
    status: 202,
    ask: async (of) => ({ params: { id: (await of.delivery()).id }, body: { since: '2026-01-01T00:00:00Z' } }),
  },
  readWebhookStats: {
    who: 'key',
    status: 200,
    ask: async (of) => {
      await of.delivery();
      return {};
    },
  },
  listDeliveries: { ...admin, status: 200, ask: async (of) => ({ params: { id: (await of.delivery()).id } }) },
  getDelivery: {
    ...admin,
    status: 200,
    ask: delivered,
    alsoNaming: async (of) => [{ params: { id: (await of.webhook()).id, delivery: (await of.delivery()).delivery } }],
  },
  redeliver: { ...admin, status: 202, ask: delivered },
  listCallbacks: { who: 'key', status: 200, ask: async (of) => ({ params: { id: await of.callback() } }) },
};

const bulkId = async (of: Organization) => ({ params: { id: await of.bulk() } });

/** The endpoints of bulk actions and failures. */
export const BULK_ROWS: Readonly<Record<string, Row>> = {
  startBulk: {
    who: 'key',
    status: 202,
    ask: (of) => ({ body: { action: 'cancel', filter: { tag: of.fresh() } } }),
    alsoNaming: async (of) => {
      const headers = { 'Idempotency-Key': of.fresh() };
      const body = { action: 'cancel', filter: { tag: of.fresh() } };
      await of.maker.post('/jobs/bulk', body, { headers });
      await of.settled();
      return [
        { body: { action: 'cancel', filter: { ids: [await of.job()] } } },
        { body: { action: 'delete', filter: { ids: [await of.canceledJob()] }, dry_run: true } },
        { body: { action: 'cancel', filter: { schedule: (await of.schedule()).id } } },
        { body: { action: 'cancel', filter: { after: (await of.chain()).first } } },
        { body, headers },
      ];
    },
  },
  listBulks: {
    who: 'key',
    status: 200,
    ask: async (of) => {
      await of.bulk();
      return {};
    },
    alsoNaming: async (of) => [
      { query: { cursor: Buffer.from(`9999999999999.${await of.bulk()}`).toString('base64url') } },
    ],
  },
  getBulk: { who: 'key', status: 200, ask: bulkId },
  stopBulk: { who: 'key', status: 202, ask: async (of) => ({ params: { id: await of.bulk('stopped') } }) },
  readFailures: {
    who: 'key',
    status: 200,
    ask: async (of) => {
      await of.canceledJob();
      return {};
    },
  },
};
