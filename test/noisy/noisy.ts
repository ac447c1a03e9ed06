import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeApiKey } from '@jobline/api/api-key';
import { createDb, type Db } from '@jobline/db';
import sharp from 'sharp';
import { type AppProcess, createWorld, spawnApi, spawnWorker, startOwnRedis } from '../harness/index.js';
import { startNameServer } from '../harness/name-server.js';
import { type Cost, measureReference } from '../harness/reference.js';
import { closeAll } from '../providers/receivers.js';
import { smtpStandIn } from '../providers/smtp-stand-in.js';
import { createAttacker, JWT_SECRET, retire } from './attackers.js';
import type { Attack } from './attacks/index.mjs';
import { watchMemory } from './memory.js';
import { SEEDS } from './seeds.js';
import { createVictim, type Seen, type Victim } from './victim.js';

/**
 * The limits of the containers in docker/, with the heap that Node 24 chooses within them for the old generation, and the one that
 * their commands set for each half of the young generation.
 */
export const LIMITS = {
  api: { memoryMiB: 512, heapMiB: 256, semiSpaceMiB: 16 },
  // The worker image with Chromium has twice as much.
  worker: { memoryMiB: 1_024, withBrowserMiB: 2_048, heapMiB: 512, semiSpaceMiB: 32 },
} as const;

type App = keyof typeof LIMITS;

/** The effects of one attack. */
export interface Report extends Seen {
  attack: string;
  /** Processes that ended during the attack. */
  died: string[];
  /** Of the process that used most, with its child processes, and the limit of its container. */
  memoryMiB: Record<App, number>;
  limitMiB: Record<App, number>;
  /** Maps each status or error to the number of times that the attacker got it. */
  answered: Record<string, number>;
}

export interface Noisy {
  attack(attack: Attack, ms: number): Promise<Report>;
  /** What a fixed statement and a fixed loop cost now. */
  reference(): Promise<Cost>;
  end(): Promise<void>;
}

/** The first requests and jobs of a process are slower. */
const WARM_UP_MS = 2_000;

/** So the processes do not share one part of the processors with the attacker and the test. */
const OWN_SESSION = { hasOwnSession: true };

/** How long the mail server needs for some recipients. */
const SLOW_MAIL_MS = 10_000;

/** Rows of attackers are written and removed by statements that take longer than those of the product. */
const STATEMENT_LIMIT_MS = 180_000;

const HANDLERS = fileURLToPath(new URL('handlers', import.meta.url));
const ATTACKER = fileURLToPath(new URL('attacker.mjs', import.meta.url));

/** Starts so many API processes and as many workers, with the limits of their containers, and creates the victim. */
export async function startNoisy(processes: number, warmUpMs = WARM_UP_MS): Promise<Noisy> {
  const world = await createWorld();
  const redis = await startOwnRedis();
  const dir = await mkdtemp(join(tmpdir(), 'jobline-noisy-'));
  const pictureFile = join(dir, 'picture.png');
  await writeFile(pictureFile, await largePicture());
  const smtp = await smtpStandIn({
    onRcptTo: ({ address }, _session, done) =>
      void setTimeout(done, address.endsWith('@slow.example') ? SLOW_MAIL_MS : 0),
  });
  const names = await startNameServer();
  names.break('silent');
  const shared = {
    NODE_ENV: 'development',
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    JWT_SECRET,
    // Also by its name, because the webhooks of the victim need a name lookup. The others are the attackers' hosts.
    OUTBOUND_ALLOW_HOSTS: [
      'localhost',
      '127.0.0.1',
      ...Array.from({ length: 10 }, (_, n) => `127.0.0.${10 + n}`),
    ].join(),
    SMS_WEBHOOK_SECRET: 'a secret of the tests',
    EMAIL_PROVIDER: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(smtp.port),
    EMAIL_SMTP_TLS: 'none',
    EMAIL_DEFAULT_FROM: 'jobs@example.com',
    EMAIL_SYSTEM_FROM: 'service@example.com',
  };
  const heap = (app: App) => ({
    MALLOC_ARENA_MAX: '2',
    NODE_OPTIONS: `--max-old-space-size=${LIMITS[app].heapMiB} --max-semi-space-size=${LIMITS[app].semiSpaceMiB}`,
  });
  const apiEnv = { ...shared, ...heap('api'), RATE_LIMIT_LOGIN_PER_MIN: '20' };
  const workerEnv = { ...shared, ...heap('worker'), DNS_SERVERS: names.address, HANDLERS_DIR: HANDLERS };
  const apis: Awaited<ReturnType<typeof spawnApi>>[] = [];
  const workers: AppProcess[] = [];
  /** Starts what is missing: an attack may have ended a process. */
  async function start(): Promise<void> {
    for (const list of [apis, workers]) list.splice(0, list.length, ...list.filter((app) => !app.hasEnded()));
    while (apis.length < processes) apis.push(await spawnApi(apiEnv, OWN_SESSION));
    while (workers.length < processes) workers.push(await spawnWorker(workerEnv, OWN_SESSION));
  }
  await start();
  const urls = () => apis.map(({ url }) => url);
  const db = createDb({
    url: world.databaseUrl,
    poolSize: 4,
    statementTimeoutMs: STATEMENT_LIMIT_MS,
    onIdleError: () => undefined,
  });
  const victim = await createVictim(urls, await world.receiver(), db);
  await victim.watch(AbortSignal.timeout(warmUpMs));
  const keys = Array.from({ length: 5_000 }, () => makeApiKey().key);
  return {
    async attack(attack, ms) {
      await start();
      return runAttack({ db, apis, workers, victim, pictureFile }, attack, { urls: urls(), keys, ms });
    },
    reference: () => measureReference((sql) => db.$queryRawUnsafe(sql)),
    async end() {
      await Promise.all([...apis, ...workers].map((app) => app.kill('SIGKILL')));
      await Promise.all([closeAll(), names.close(), rm(dir, { recursive: true })]);
      await db.$disconnect();
      await world.end();
      await redis.end();
    },
  };
}

interface Setup {
  db: Db;
  apis: readonly AppProcess[];
  workers: readonly AppProcess[];
  victim: Victim;
  pictureFile: string;
}

async function runAttack(
  { db, apis, workers, victim, pictureFile }: Setup,
  { name, orgs: count = 1, seeds = [], ofVictim, usesBrowser = false }: Attack,
  facts: { urls: readonly string[]; keys: readonly string[]; ms: number },
): Promise<Report> {
  const attacker = fork(ATTACKER, [pictureFile], { execArgv: [], detached: true });
  // The cast: it is the first message of the program.
  const { receiver } = (await messageOf(attacker)) as { receiver: string };
  const orgs = await Promise.all(
    Array.from({ length: count }, async () => {
      const org = await createAttacker(db);
      const made: object[] = [];
      for (const seed of seeds) made.push(await SEEDS[seed]({ db, org, receiver }));
      return Object.assign({}, org, ...made);
    }),
  );
  if (ofVictim) await SEEDS[ofVictim]({ db, org: { id: victim.orgId }, receiver });

  const died: string[] = [];
  const watching = new AbortController();
  const processes = Object.entries({ api: apis, worker: workers }).flatMap(([app, started]) =>
    started.map((one, n) => ({ ...one, name: `${app} ${n + 1}` })),
  );
  for (const { name, ended } of processes) void ended.then(() => watching.signal.aborted || died.push(name));
  const memory = watchMemory(Object.fromEntries(processes.map((one) => [one.name, one.pid])));
  const over = new AbortController();
  const seeing = victim.watch(over.signal);
  attacker.send({ ...facts, name, receiver, orgs });
  // The cast: it is the second message of the program.
  const { answered } = (await messageOf(attacker)) as Pick<Report, 'answered'>;
  over.abort();
  const seen = await seeing;
  watching.abort();
  const highestMiB = Object.entries(memory.stop());
  const highest = (app: App) =>
    Math.round(Math.max(...highestMiB.flatMap(([process, mib]) => (process.startsWith(app) ? [mib] : []))));
  if (ofVictim) await victim.removeWebhooks();
  await retire(db, orgs);
  return {
    ...seen,
    attack: name,
    died,
    memoryMiB: { api: highest('api'), worker: highest('worker') },
    limitMiB: {
      api: LIMITS.api.memoryMiB,
      worker: usesBrowser ? LIMITS.worker.withBrowserMiB : LIMITS.worker.memoryMiB,
    },
    answered,
  };
}

async function messageOf(attacker: ChildProcess): Promise<unknown> {
  const [message] = await Promise.race([
    once(attacker, 'message'),
    once(attacker, 'exit').then(() => [{ answered: { 'the attacker died': 1 } }]),
  ]);
  return message;
}

/** Makes an image of 16 megapixels of noise, which uses one processor for more than a second. */
async function largePicture(): Promise<Uint8Array> {
  const side = 4_000;
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  return sharp({ create: { width: side, height: side, channels: 3, background: 'white', noise } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}
