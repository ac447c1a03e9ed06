import type { Organization } from './organization.js';
import type { Row } from './row.js';

const named = async (of: Organization) => ({ params: { id: await of.apiKey() } });

/** The endpoints of API keys. */
export const KEY_ROWS: Readonly<Record<string, Row>> = {
  createApiKey: { who: 'admin', status: 201, ask: (of) => ({ body: { name: of.fresh() } }) },
  listApiKeys: {
    who: 'admin',
    status: 200,
    ask: () => ({}),
    alsoNaming: async (of) => [
      { query: { cursor: Buffer.from(`9999999999999.${await of.apiKey()}`).toString('base64url') } },
    ],
  },
  changeApiKey: {
    who: 'admin',
    status: 200,
    ask: async (of) => ({ ...(await named(of)), body: { name: of.fresh() } }),
  },
  deleteApiKey: { who: 'admin', status: 204, ask: named },
  rotateApiKey: { who: 'admin', status: 201, ask: named },
};
