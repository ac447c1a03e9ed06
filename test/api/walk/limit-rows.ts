import type { Row } from './row.js';

/** The rows of the limits and the secrets of an organization. */
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
