import { pause } from '@jobline/runtime';
import { spawnWorker } from './app-process.js';

/** A worker process that is started again whenever it ends, as by a supervisor. */
export interface SupervisedWorker {
  /** How many times it has ended by itself. */
  deaths(): number;
  /** The logs of all of its processes so far. */
  output(): string;
  stop(): Promise<void>;
}

const RESTART_AFTER_MS = 100;

export async function superviseWorker(env: Record<string, string>): Promise<SupervisedWorker> {
  let current = await spawnWorker(env);
  let earlier = '';
  let deaths = 0;
  let isStopped = false;

  async function keep(): Promise<void> {
    for (;;) {
      await current.ended;
      if (isStopped) return;
      deaths++;
      earlier += current.output();
      await pause(RESTART_AFTER_MS);
      current = await spawnWorker(env);
      if (isStopped) await current.kill('SIGTERM');
    }
  }

  const kept = keep();
  return {
    deaths: () => deaths,
    output: () => earlier + current.output(),
    async stop() {
      isStopped = true;
      await current.kill('SIGTERM');
      await kept;
    },
  };
}
