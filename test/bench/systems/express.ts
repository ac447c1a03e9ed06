import type { System } from '../system.js';
import { startHttpServer } from './http-server.js';

/** An HTTP API that does nothing: Express 5, express.json() and a 202. */
export const express = httpSystem('express', 'one route: express.json(), then 202 with a fixed body');
/** Shows the limit of the load generator. */
export const bareHttp = httpSystem('bare', 'node:http without a framework');

function httpSystem(kind: 'express' | 'bare', settings: string): System {
  return {
    name: 'express',
    settings,
    async start({ dir }) {
      const { server, submitter } = await startHttpServer(kind, { dir });
      return {
        submitter,
        processes: [server],
        jobs: null,
        async stop() {
          await submitter.stop();
          await server.stop();
        },
      };
    },
  };
}
