import { defineEndpoint } from '../../endpoint.js';

/** Says that the process runs, whatever it can reach. */
export const alive = defineEndpoint({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the process is alive',
  auth: 'none',
  responses: { 200: 'It is.' },
  handle: async () => ({ status: 200, body: { status: 'alive' } }),
});
