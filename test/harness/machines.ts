import type { RunningWorker } from '@jobline/worker/start';
import type { TestApi } from './api.js';
import type { Call } from './caller.js';

/** TEST_MACHINES=several: whoever asks for an API is given two, and whoever asks for a worker four. */
const isSeveral = process.env.TEST_MACHINES === 'several';
export const APIS = isSeveral ? 2 : 1;
export const WORKERS = isSeveral ? 4 : 1;

/** As behind a proxy: asked in turns. Figures are of all. */
export async function startApis(count: number, start: () => Promise<TestApi>): Promise<TestApi> {
  const apis = await all(count, start);
  const [first] = apis;
  const sum = (figure: (api: TestApi) => number) => apis.reduce((total, api) => total + figure(api), 0);
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

/** Whose jobs run in which of them is nobody's choice. `events` are the first one's. */
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
