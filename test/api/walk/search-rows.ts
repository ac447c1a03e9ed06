import type { Row } from './row.js';

/** The row of searches: what others have is not found. */
export const SEARCH_ROWS: Readonly<Record<string, Row>> = {
  search: {
    who: 'key',
    status: 200,
    ask: async (of) => ({ query: { q: await of.job() } }),
    alsoNaming: async (of) => [
      { query: { q: await of.limit() } },
      { query: { q: (await of.template()).name } },
      { query: { q: of.marker } },
    ],
  },
};
