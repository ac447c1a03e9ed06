import { fileURLToPath } from 'node:url';
import { findFreePort } from '@jobline/devstack';
import type { Addresses } from '../peer.js';
import { startProcess } from '../processes.js';
import type { System } from '../system.js';

const submitScript = fileURLToPath(new URL('../submit-process.js', import.meta.url));
const serverScript = fileURLToPath(new URL('../http-process.js', import.meta.url));

/** An HTTP API that does nothing: Express 5, express.json() and a 202. */
export const express = httpSystem('express', 'one route: express.json(), then 202 with a fixed body');
/** Shows the limit of the load generator. */
export const bareHttp = httpSystem('bare', 'node:http without a framework');

function httpSystem(kind: 'express' | 'bare', settings: string): System {
  return {
    name: 'express',
    settings,
    async start({ dir }) {
      const port = await findFreePort();
      const env = { BENCH_SYSTEM: kind, PORT: String(port) };
      const server = startProcess({ name: `${kind} server`, script: serverScript, env, logDir: dir });
      await server.ready;
      const http = { url: `http://127.0.0.1:${port}`, apiKey: 'jl_none' };
      const addresses: Addresses = { databaseUrl: '', redisUrl: '', http };
      const submitEnv = { BENCH_ADDRESSES: JSON.stringify(addresses) };
      const submitter = startProcess({ name: `${kind} load`, script: submitScript, env: submitEnv, logDir: dir });
      await submitter.ready;
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
