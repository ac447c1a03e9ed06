import { hostname } from 'node:os';
import { activeWebhookSecrets, createDb } from '@jobline/db';
import { createEvents, createProducer, createWork, DEFAULT_PREFIX, type EngineEvents, narrate } from '@jobline/engine';
import { type Catalogue, createCatalogue, type Ports, QUEUES } from '@jobline/handlers';
import { createImages, createLiquid, createOutbound, createPdfs } from '@jobline/providers';
import type { Logger } from '@jobline/runtime';
import type { Config } from './config.js';
import { every, repeat } from './timers.js';

export interface RunningWorker {
  events: EngineEvents;
  /** Gives what runs `drainMs`, hands the rest back and lets go of everything. */
  stop(drainMs?: number): Promise<void>;
}

const RECONCILE_EVERY_MS = 2_000;
const FLUSH_LOGS_EVERY_MS = 200;
const DRAIN_MS = 30_000;
const POOL_SIZE = 10;

/** Puts a worker together and starts it. It waits for Postgres and Redis if they are not there yet. */
export async function startWorker(
  config: Config,
  log: Logger,
  own: { catalogue?: Catalogue; prefix?: string; graceMs?: number } = {},
): Promise<RunningWorker> {
  const { catalogue = createCatalogue(), prefix = DEFAULT_PREFIX } = own;
  const events = createEvents();
  narrate(events, log);
  const db = createDb({
    url: config.DATABASE_URL,
    poolSize: POOL_SIZE,
    onIdleError: (error) => log.warn('Postgres connection', { error }),
  });
  const producer = createProducer({ redisUrl: config.REDIS_URL, prefix, queues: QUEUES, events });
  const outbound = createOutbound({ allowHosts: config.OUTBOUND_ALLOW_HOSTS, log });
  const pdfs = createPdfs({ executablePath: config.PUPPETEER_EXECUTABLE_PATH, log });
  const ports: Ports = {
    images: createImages(),
    outbound,
    pdfs,
    // Nobody can store a template yet.
    templates: { ...createLiquid(), find: async () => null },
    webhookSecrets: { active: (orgId) => activeWebhookSecrets(db, orgId) },
  };
  const work = createWork({
    db,
    redisUrl: config.REDIS_URL,
    prefix,
    producer,
    catalogue,
    ports,
    events,
    queues: config.WORKER_QUEUES,
    retry: { baseMs: config.RETRY_BASE_MS, maxMs: config.RETRY_MAX_MS },
    leaseMs: config.WORKER_LEASE_MS,
    retentionDays: config.RETENTION_DAYS,
    window: config.QUEUE_WINDOW,
    name: `${hostname()}:${process.pid}`,
    ...(own.graceMs !== undefined && { graceMs: own.graceMs }),
  });

  await work.start();
  const stopReconciling = every(RECONCILE_EVERY_MS, () => work.reconcile());
  const feeding = repeat(() => work.feed());
  const retaining = repeat(() => work.retain());
  const listening = work.listen(feeding.wake);
  const stopBeating = every(config.WORKER_LEASE_MS / 5, () => work.beat());
  const stopFlushing = every(FLUSH_LOGS_EVERY_MS, () => work.flushLogs());
  log.info('worker started', { queues: Object.fromEntries(config.WORKER_QUEUES), types: [...catalogue.keys()] });

  return {
    events,
    async stop(drainMs = DRAIN_MS) {
      await work.pause();
      await Promise.all([stopReconciling(), feeding.stop(), retaining.stop()]);
      // The heartbeat goes on while what runs is drained: a worker that stops is not a dead one.
      await work.stop(drainMs);
      listening.close();
      await Promise.all([stopBeating(), stopFlushing()]);
      await producer.close();
      await outbound.close();
      await pdfs.close();
      await db.$disconnect();
    },
  };
}
