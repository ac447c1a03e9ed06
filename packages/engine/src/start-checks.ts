import { clockLead, createDb, isFromAnotherPostgres, schemaFault } from '@jobline/db';
import { type Logger, pause } from '@jobline/runtime';
import { type RedisFacts, readRedisFacts } from './queue/redis-facts.js';

export interface StartChecks {
  /** Looks no further. */
  stop(): Promise<void>;
}

const TRY_AGAIN_MS = 5_000;
const MAX_CLOCK_LEAD_MS = 3_000;
const OLDEST_REDIS = [6, 2] as const;
const RESTORED =
  'the database was filled from a dump of another one, and its events are numbered as there: run the two ' +
  'statements of README.md\'s "Restore" that set xid; no job is affected, but streams of events tell of old jobs as if they were new';

/**
 * Tells the log, in a sentence each, what of Postgres and Redis is not as it should be and what to do about it: each once
 * it answers. Nobody waits for that, and it has connections of its own, which it gives back.
 */
export function checkStart(options: { databaseUrl: string; redisUrl: string; log: Logger }): StartChecks {
  const { databaseUrl, redisUrl, log } = options;
  const stopping = new AbortController();
  const checks = Promise.all([
    checkRedis(redisUrl, log, stopping.signal),
    checkPostgres(databaseUrl, log, stopping.signal),
  ]);
  return {
    async stop() {
      stopping.abort();
      await checks;
    },
  };
}

async function checkRedis(redisUrl: string, log: Logger, signal: AbortSignal): Promise<void> {
  try {
    const facts = await readRedisFacts(redisUrl, signal);
    for (const fault of facts ? redisFaults(facts) : []) log.warn(fault);
  } catch (error) {
    log.debug('what Redis is like could not be found out', { error });
  }
}

/** What is not as it should be. None of it endangers a job: Postgres has them all. */
export function redisFaults({ version, policy, isPersistent }: RedisFacts): string[] {
  const faults: string[] = [];
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_REDIS;
  if (version && (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))) {
    faults.push(
      `Redis is of version ${version}: update it to ${OLDEST_REDIS.join('.')} or newer, which the queues are made for`,
    );
  }
  if (policy && policy !== 'noeviction') {
    faults.push(
      `Redis throws out entries when its memory is full (maxmemory-policy ${policy}): set it to noeviction; ` +
        'no job is lost that way, but jobs start late and queues stand still until what is missing has been added again',
    );
  }
  if (isPersistent === false) {
    faults.push(
      'Redis keeps nothing on disk: set appendonly yes; no job is lost without it, ' +
        'but after its restart everything that waits has to be added again, and rate limits begin anew',
    );
  }
  return faults;
}

/** Until the schema is as this version needs it: an operator may be about to migrate. */
async function checkPostgres(databaseUrl: string, log: Logger, signal: AbortSignal): Promise<void> {
  const db = createDb({
    url: databaseUrl,
    poolSize: 1,
    onIdleError: (error) => log.debug('Postgres connection', { error }),
  });
  let told: string | null = null;
  let isClockChecked = false;
  while (!signal.aborted) {
    try {
      if (!isClockChecked) for (const fault of clockFaults(await clockLead(db))) log.warn(fault);
      isClockChecked = true;
      const fault = await schemaFault(db);
      if (fault && fault !== told) log.error(fault);
      if (!fault) {
        if (told) log.info('the database has every migration now');
        if (await isFromAnotherPostgres(db)) log.warn(RESTORED);
        break;
      }
      told = fault;
    } catch (error) {
      log.debug('Postgres could not be looked at', { error }); // whoever works with it tells of it
    }
    await pause(TRY_AGAIN_MS, signal);
  }
  await db.$disconnect();
}

export function clockFaults({ aheadMs, uncertainMs }: { aheadMs: number; uncertainMs: number }): string[] {
  if (Math.abs(aheadMs) - uncertainMs <= MAX_CLOCK_LEAD_MS) return [];
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  return [
    `this machine's clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's: synchronize both (NTP); ` +
      'until then tokens expire, and retries start, by so much too early or too late',
  ];
}
