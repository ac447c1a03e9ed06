import { pause } from '@jobline/runtime';
import type { Fault } from '../fault.js';

const ROUNDS = 3;
/** A submission that has waited this long for Redis still waits for it: the API gives up after 250 ms. */
const HELD_MS = 150;

/** While the API waits for Redis, it has committed jobs that have no entry yet. */
export const killedApi: Fault = {
  name: 'API `kill -9` between commit and enqueue',
  loadSeconds: 20,
  servers: { proxied: 'redis' },
  async cause({ deployment, servers }) {
    for (let round = 0; round < ROUNDS; round++) {
      servers.proxy?.hold();
      await pause(HELD_MS);
      await Promise.all([...deployment.apis].map((api) => deployment.remove(api, 'SIGKILL')));
      servers.proxy?.resume();
      await Promise.all([deployment.addApi(), deployment.addApi()]);
    }
  },
};

export const stoppedApps: Fault = {
  name: 'SIGTERM of everything at full load',
  loadSeconds: 15,
  async cause({ deployment }) {
    const { apis, workers } = deployment;
    await Promise.all([...apis, ...workers].map((app) => deployment.remove(app, 'SIGTERM')));
    for (let n = 0; n < 2; n++) await Promise.all([deployment.addApi(), deployment.addWorker()]);
  },
};
