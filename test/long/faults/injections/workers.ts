import { pause } from '@jobline/runtime';
import { until } from '../../../harness/until.js';
import { type Fault, OUTAGE_MS } from '../fault.js';

export const killedWorker: Fault = {
  name: 'worker `kill -9`',
  loadSeconds: 15,
  async cause({ deployment }) {
    const [worker] = deployment.workers;
    if (worker) await deployment.remove(worker, 'SIGKILL');
    await deployment.addWorker();
  },
};

export const frozenWorker: Fault = {
  name: 'worker frozen past its lease and woken',
  loadSeconds: 35,
  async cause({ deployment }) {
    const [worker] = deployment.workers;
    worker?.freeze();
    await pause(OUTAGE_MS);
    worker?.thaw();
    await until('the worker to notice', () => worker?.output().includes('lease lost'));
  },
};
