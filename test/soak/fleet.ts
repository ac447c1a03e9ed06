import { type AppProcess, spawnApi, spawnWorker } from '../harness/index.js';

type ApiProcess = AppProcess & { url: string };

/** Two APIs and two workers. One of each runs all the time, and the other one is replaced again and again. */
export interface Fleet {
  steadyApi: ApiProcess;
  steadyWorker: AppProcess;
  /** The APIs that callers may use now. */
  urls(): string[];
  /** Ends the replaced API or worker, in turn with SIGKILL and SIGTERM, and starts it again. */
  replaceNext(): Promise<void>;
  replaced(): number;
  end(): Promise<void>;
}

const TURNS = [
  { app: 'worker', signal: 'SIGKILL' },
  { app: 'api', signal: 'SIGTERM' },
  { app: 'worker', signal: 'SIGTERM' },
  { app: 'api', signal: 'SIGKILL' },
] as const;

export async function startFleet(env: Record<string, string>): Promise<Fleet> {
  const steadyApi = await spawnApi(env);
  let otherApi: ApiProcess | undefined = await spawnApi(env);
  const steadyWorker = await spawnWorker(env);
  let otherWorker = await spawnWorker(env);
  let replaced = 0;
  return {
    steadyApi,
    steadyWorker,
    urls: () => [steadyApi, otherApi].flatMap((api) => api?.url ?? []),
    replaced: () => replaced,
    async replaceNext() {
      const turn = TURNS[replaced++ % TURNS.length];
      if (turn?.app === 'worker') {
        await otherWorker.kill(turn.signal);
        otherWorker = await spawnWorker(env);
      } else if (turn && otherApi) {
        const ending = otherApi.kill(turn.signal);
        otherApi = undefined;
        await ending;
        otherApi = await spawnApi(env);
      }
    },
    async end() {
      await Promise.all([steadyApi, otherApi, steadyWorker, otherWorker].map(async (app) => app?.kill('SIGTERM')));
    },
  };
}
