import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createWorld,
  makeDue,
  type Person,
  register,
  type SupervisedWorker,
  startOwnRedis,
  submitJob,
  superviseWorker,
  type World,
} from '../harness/index.js';

/** Handlers that end their process in every possible way, and a handler that runs at the same time. */
const HANDLERS = {
  'poison.mjs': `
    export default {
      type: 'poison',
      async run({ how }, { log }) {
        log('info', 'about to ' + how);
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (how === 'exit') process.exit(0);
        // It is connected to a worker only if it runs isolated.
        if (how === 'crash its worker' && process.connected) process.kill(process.ppid, 'SIGKILL');
        if (how === 'be killed') process.kill(process.pid, 'SIGKILL');
        if (how === 'freeze') for (;;);
        if (how === 'take all memory') for (const all = []; ; ) all.push({ more: [all.length] });
        if (how === 'leave a rejection') void Promise.reject(new Error('not handled'));
        await new Promise(() => setTimeout(() => undefined, 1e9));
      },
    };`,
  'neighbor.mjs': `
    import { setTimeout as sleep } from 'node:timers/promises';
    export default {
      type: 'neighbor',
      async run({ n }, { signal }) {
        await sleep(50, undefined, { signal });
        return { n };
      },
    };`,
  'careful.mjs': `
    import { PermanentError } from '@jobline/handlers';
    export default {
      type: 'careful',
      async run({ how }, { log, saveArtifact, attempt, idempotencyKey }) {
        log('info', 'I am here');
        if (how === 'fails for good') throw new PermanentError('this cannot be done');
        if (how === 'fails') throw new Error('not now');
        await saveArtifact({ name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('hello') });
        return { attempt, idempotencyKey, workerPid: process.ppid };
      },
    };`,
  'brief.mjs': `
    export default {
      type: 'brief',
      timeoutMs: 500,
      run: (_payload, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    };`,
};

const LEASE_MS = 2_000;

/** An API, and a worker process that is restarted when it dies. */
export interface CrashWorld {
  world: World;
  person: Person;
  worker: SupervisedWorker;
  /** Submits a job and starts it as if that number of workers had died with it. */
  submitCrashed(type: string, payload: object, crashes: number, more?: object): Promise<string>;
  end(): Promise<void>;
}

export async function createCrashWorld(): Promise<CrashWorld> {
  const world = await createWorld();
  const redis = await startOwnRedis();
  const person = await register((await world.api({ redisUrl: redis.url, prefix: 'jobline' })).call);
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-handlers-'));
  for (const [name, text] of Object.entries(HANDLERS)) await writeFile(join(dir, name), text);
  const worker = await superviseWorker({
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    HANDLERS_DIR: dir,
    WORKER_LEASE_MS: `${LEASE_MS}`,
    // The memory limit is reached sooner.
    NODE_OPTIONS: '--max-old-space-size=256',
  });
  return {
    world,
    person,
    worker,
    async submitCrashed(type, payload, crashes, more = {}) {
      const runAt = new Date(Date.now() + 3_600_000).toISOString();
      const id = await submitJob(person, type, payload, { ...more, run_at: runAt });
      await world.db.job.updateMany({ where: { id }, data: { crashCount: crashes } });
      await makeDue(world.db, id);
      return id;
    },
    async end() {
      await worker.stop();
      await world.end();
      await redis.end();
      await rm(dir, { recursive: true });
    },
  };
}
