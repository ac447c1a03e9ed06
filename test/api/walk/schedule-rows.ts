import type { Organization } from './organization.js';
import type { Row } from './row.js';

const nothing = () => ({});
const body = { cron: '@daily', type: 'walk', payload: {} };
const named = async (of: Organization) => ({ params: { id: (await of.schedule()).id } });

/** The endpoints of schedules. */
export const SCHEDULE_ROWS: Readonly<Record<string, Row>> = {
  createSchedule: {
    who: 'key',
    status: 201,
    ask: (of) => ({ body: { ...body, name: of.fresh() } }),
    alsoNaming: async (of) => {
      const mail = { to: 'a@example.com', subject: 'a', body: 'b', from: `a@${(await of.domain()).domain}` };
      const headers = { 'Idempotency-Key': of.fresh() };
      await of.maker.post('/schedules', { ...body, name: of.fresh() }, { headers });
      const name = of.fresh();
      return [
        { body: { ...body, name: (await of.schedule()).name } },
        { body: { ...body, name, limit: await of.limit() } },
        { body: { ...body, name, type: 'send_email', payload: mail } },
        { body: { ...body, name }, headers },
      ];
    },
  },
  listSchedules: {
    who: 'key',
    status: 200,
    ask: nothing,
    alsoNaming: async (of) => {
      const { id } = await of.schedule();
      return [{ query: { cursor: Buffer.from(`9999999999999.${id}`).toString('base64url') } }];
    },
  },
  previewSchedule: { who: 'key', status: 200, ask: () => ({ body: { cron: '@daily' } }) },
  getSchedule: { who: 'key', status: 200, ask: named },
  changeSchedule: {
    who: 'key',
    status: 200,
    ask: async (of) => ({ ...(await named(of)), body: { enabled: false } }),
    alsoNaming: async (of) => [
      { ...(await named(of)), body: { name: (await of.schedule()).name } },
      { ...(await named(of)), body: { limit: await of.limit() } },
    ],
  },
  deleteSchedule: { who: 'key', status: 204, ask: named },
  runSchedule: { who: 'key', status: 202, ask: named },
};
