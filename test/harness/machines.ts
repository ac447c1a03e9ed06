import type { RunningWorker } from '@jobline/worker/start';
import type { TestApi } from './api.js';
import type { Call } from './caller.js';

/** With TEST_MACHINES=several, a test that starts an API gets two, and a test that starts a worker gets four. */
const isSeveral = process.env.TEST_MACHINES === 'several';
export const APIS = isSeveral ? 2 : 1;
export const WORKERS = isSeveral ? 4 : 1;

/** Uses the APIs in turns, like a proxy. Numbers are sums over all of them. */
export async function startApis(count: number, start: () => Promise<TestApi>): Promise<TestApi> {
  const apis = await all(count, start);
  const [first] = apis;
  const sum = (read: (api: TestApi) => number) => apis.reduce((total, api) => total + read(api), 0);
  let asked = 0;
  const call: Call = (...request) => (apis[asked++ % apis.length] ?? first).call(...request);
  return {
    url: first.url,
    call,
    openStreams: () => sum((api) => api.openStreams()),
    openSockets: () => sum((api) => api.openSockets()),
    unsentBytes: () => sum((api) => api.unsentBytes()),
    stop: async () => void (await Promise.all(apis.map((api) => api.stop()))),
  };
}

/** Any of them may run a job. `events` are those of the first worker. */
export async function startWorkers(count: number, start: () => Promise<RunningWorker>): Promise<RunningWorker> {
  const workers = await all(count, start);
  return {
    ...workers[0],
    stop: async (drainMs) => void (await Promise.all(workers.map((worker) => worker.stop(drainMs)))),
  };
}

async function all<T>(count: number, start: () => Promise<T>): Promise<[T, ...T[]]> {
  const first = await start();
  return [first, ...(await Promise.all(Array.from({ length: count - 1 }, start)))];
}
