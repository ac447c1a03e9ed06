import { until } from '../../harness/index.js';
import type { Organization } from './organization.js';
import type { Row } from './row.js';

/** An erasure that is done: a running one changes its row. */
async function newErasure(of: Organization, body: object = { key: of.fresh() }, headers = {}): Promise<string> {
  const { id } = (await of.maker.post('/org/erasures', body, { headers })).body;
  await until('the erasure to end', async () => (await of.maker.get(`/org/erasures/${id}`)).body.status === 'done');
  return id;
}

/** The rows of the limits, the secrets and the erasures of an organization. */
export const LIMIT_ROWS: Readonly<Record<string, Row>> = {
  putLimit: {
    who: 'admin',
    status: 200,
    createsName: true,
    ask: (of) => ({ params: { name: of.fresh() }, body: { concurrency: 1 } }),
    alsoNaming: async (of) => [{ params: { name: await of.limit() }, body: { concurrency: 2 } }],
  },
  listLimits: { who: 'member', status: 200, ask: () => ({}) },
  patchLimit: {
    who: 'admin',
    status: 200,
    ask: async (of) => ({ params: { name: await of.limit() }, body: { paused: true } }),
  },
  deleteLimit: { who: 'admin', status: 204, ask: async (of) => ({ params: { name: await of.limit() } }) },
  putSecret: {
    who: 'admin',
    status: 200,
    createsName: true,
    ask: (of) => ({ params: { name: of.fresh() }, body: { value: of.fresh(), hosts: ['a.example'] } }),
    alsoNaming: async (of) => [
      { params: { name: await of.secret() }, body: { value: of.fresh(), hosts: ['a.example'] } },
    ],
  },
  startErasure: {
    who: 'admin',
    status: 202,
    ask: (of) => ({ body: { address: `${of.fresh()}@example.com`, key: of.fresh() } }),
    alsoNaming: async (of) => {
      const headers = { 'Idempotency-Key': of.fresh() };
      const body = { key: of.fresh() };
      await newErasure(of, body, headers);
      return [{ body, headers }, { body: { address: (await of.suppression()).address } }];
    },
  },
  listErasures: {
    who: 'admin',
    status: 200,
    ask: async (of) => {
      await newErasure(of);
      return {};
    },
  },
  getErasure: { who: 'admin', status: 200, ask: async (of) => ({ params: { id: await newErasure(of) } }) },
  listSecrets: { who: 'admin', status: 200, ask: () => ({}) },
  deleteSecret: { who: 'admin', status: 204, ask: async (of) => ({ params: { name: await of.secret() } }) },
  listLimitKeys: {
    who: 'member',
    status: 200,
    ask: async (of) => {
      const name = await of.limit();
      await of.job({ limit: name, key: of.fresh() });
      return { params: { name } };
    },
  },
};
