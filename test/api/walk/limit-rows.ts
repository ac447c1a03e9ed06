import type { Row } from './row.js';

/** The rows of the limits of an organization. */
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
