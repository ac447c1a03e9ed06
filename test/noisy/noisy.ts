import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { makeApiKey } from '@jobline/api/api-key';
import sharp from 'sharp';
import { newKey } from '../api/support.js';
import {
  type AppProcess,
  createCall,
  createWorld,
  type Person,
  type Receiver,
  register,
  runToEnd,
  spawnApi,
  spawnWorker,
  startOwnRedis,
  until,
  type World,
} from '../harness/index.js';
import { startNameServer } from '../harness/name-server.js';
import { closeAll } from '../providers/receivers.js';
import { smtpStandIn } from '../providers/smtp-stand-in.js';
import { watchMemory } from './memory.js';
import { beVictim, byName, percentile, pickupsMs } from './victim.js';

/**
 * The limits of the containers in docker/, and the heap sizes that Node 24 chooses within them: the old generation,
 * and each half of the young generation (together they are the `heap_size_limit` of `v8.getHeapStatistics()`: 259 and
 * 560 MiB).
 */
export const LIMITS = {
  api: { memoryMiB: 512, heapMiB: 256, semiSpaceMiB: 1 },
  worker: { memoryMiB: 1_024, heapMiB: 512, semiSpaceMiB: 16 },
} as const;

/** The effects of one attack. */
export interface Report {
  attack: string;
  worstAnswerMs: number;
  pickupP99Ms: number;
  /** Accepted jobs of the victim that did not finish as done. */
  lost: number;
  refused: (number | string)[];
  /** Processes that ended during the attack. */
  died: string[];
  memoryMiB: Record<string, number>;
  /** Maps each status or error to the number of times that the attacker got it. */
  answered: Record<string, number>;
}

export interface Noisy {
  attack(name: string, ms: number): Promise<Report>;
  end(): Promise<void>;
}

/**
 * Starts one API and one worker with the limits of their containers, and creates the organizations of the attacker and
 * the victim.
 */
export async function startNoisy(): Promise<Noisy> {
  const world = await createWorld();
  const redis = await startOwnRedis();
  const picture = await largePicture();
  const receiver = await world.receiver(({ path }) => {
    if (path.startsWith('/slow')) return { delayMs: 14_000 };
    return path === '/picture.png' ? { body: picture, headers: { 'content-type': 'image/png' } } : {};
  });
  const smtp = await smtpStandIn();
  const names = await startNameServer();
  names.break('silent');
  const shared = {
    NODE_ENV: 'development',
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    JWT_SECRET: 'a secret of the tests, long enough for HS256',
    // Also by its name, because the webhooks of the victim need a name lookup.
    OUTBOUND_ALLOW_HOSTS: `${receiver.host},${byName(receiver.host)}`,
    SMS_WEBHOOK_SECRET: 'a secret of the tests',
    EMAIL_PROVIDER: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(smtp.port),
    EMAIL_SMTP_TLS: 'none',
    EMAIL_DEFAULT_FROM: 'jobs@example.com',
    EMAIL_SYSTEM_FROM: 'service@example.com',
  };
  const heap = (app: keyof typeof LIMITS) => ({
    NODE_OPTIONS: `--max-old-space-size=${LIMITS[app].heapMiB} --max-semi-space-size=${LIMITS[app].semiSpaceMiB}`,
  });
  const api = await spawnApi({ ...shared, ...heap('api'), BCRYPT_COST: '4', RATE_LIMIT_LOGIN_PER_MIN: '20' });
  const worker = await spawnWorker({ ...shared, ...heap('worker'), DNS_SERVERS: names.address });
  const call = createCall(api.url);
  const attacker = await register(call);
  const victim = await register(call);
  const { key } = await newKey(attacker);
  const template = await attacker.post('/org/templates', { name: 'wide', kind: 'email', subject: 'wide', body: WIDE });
  if (template.status !== 201) throw new Error(`POST /org/templates: ${template.status} ${template.text}`);
  // The first job waits until the worker has started.
  await runToEnd(victim, 'webhook', { url: `${byName(receiver.url)}/first`, payload: {} });
  const facts = {
    url: api.url,
    credentials: { 'x-api-key': key },
    session: { authorization: `Bearer ${attacker.token}` },
    keys: Array.from({ length: 5_000 }, () => makeApiKey().key),
    imageUrl: `${receiver.url}/picture.png`,
    slowUrl: `${receiver.url}/slow`,
    fastUrl: `${receiver.url}/fast`,
  };
  return {
    attack: (name, ms) => attack({ world, api, worker, victim, receiver }, { ...facts, name, ms }),
    async end() {
      await Promise.all([api.kill('SIGKILL'), worker.kill('SIGKILL')]);
      await Promise.all([closeAll(), names.close()]);
      await world.end();
      await redis.end();
    },
  };
}

interface Setup {
  world: World;
  api: AppProcess;
  worker: AppProcess;
  victim: Person;
  receiver: Receiver;
}

async function attack(setup: Setup, facts: { name: string; ms: number }): Promise<Report> {
  const { api, worker, victim, receiver } = setup;
  const died: string[] = [];
  const watching = new AbortController();
  for (const [name, app] of Object.entries({ api, worker })) {
    void app.ended.then(() => watching.signal.aborted || died.push(name));
  }
  const memory = watchMemory({ api: api.pid, worker: worker.pid });
  const attacker = fork(fileURLToPath(new URL('./attacker.mjs', import.meta.url)), { execArgv: [] });
  const over = new AbortController();
  const seeing = beVictim(victim, receiver, over.signal);
  attacker.send(facts);
  // The cast: this is the only message of the program.
  const answered = once(attacker, 'message') as Promise<[Record<string, number>]>;
  const [counts] = await Promise.race([
    answered,
    once(attacker, 'exit').then(() => [{ 'the attacker died': 1 }] as const),
  ]);
  over.abort();
  const seen = await seeing;
  const lost = await countLost(setup, seen.ids);
  watching.abort();
  return {
    attack: facts.name,
    worstAnswerMs: Math.round(seen.worstAnswerMs),
    pickupP99Ms: percentile(pickupsMs(seen, receiver), 0.99),
    lost,
    refused: seen.refused,
    died,
    memoryMiB: Object.fromEntries(Object.entries(memory.stop()).map(([name, mib]) => [name, Math.round(mib)])),
    answered: counts,
  };
}

/** Waits until all accepted jobs have finished, and counts those that are not done. */
async function countLost({ world, victim, api, worker }: Setup, ids: readonly string[]): Promise<number> {
  const statuses = () =>
    world.db.job.groupBy({ by: ['status'], where: { orgId: victim.orgId, id: { in: [...ids] } }, _count: true });
  const ended = Promise.race([api.ended, worker.ended]).then(() => 'ended' as const);
  const finished = until('the jobs of the victim to end', async () => {
    const found = await statuses();
    return found.every(({ status }) => status === 'done' || status === 'failed');
  });
  await Promise.race([finished, ended]);
  finished.catch(() => undefined); // The race is decided already.
  const done = (await statuses()).find(({ status }) => status === 'done')?._count ?? 0;
  return ids.length - done;
}

const WIDE =
  '{% assign s = "xxxxxxxxxxxxxxxx" %}{% for i in (1..18) %}{% assign s = s | append: s %}{% endfor %}{% for i in (1..100) %}{{ s }}{% endfor %}';

/** Makes an image of 16 megapixels of noise, which uses one processor for more than a second. */
async function largePicture(): Promise<Uint8Array> {
  const side = 4_000;
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  return sharp({ create: { width: side, height: side, channels: 3, background: 'white', noise } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}
